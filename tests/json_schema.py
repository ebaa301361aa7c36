"""Validates with the part of JSON Schema, draft 7, that the schemas in specs/ use. No module is required."""
import re

TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict, "null": type(None)}
KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "pattern", "$ref", "description",
            "$comment", "$schema", "title", "default", "definitions", "anyOf", "allOf", "not", "if", "then", "else", "minimum", "maximum", "minItems", "maxItems",
            "minProperties", "maxProperties", "propertyNames", "exclusiveMinimum"}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def object_problem(value, schema, root, path):
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    missing = [key for key in schema.get("required", []) if key not in value]
    unknown = [key for key in value if key not in properties] if others is False else []
    if missing or unknown:
        return f"{path}: " + ", ".join([f"no key '{key}'" for key in missing] + [f"unknown key '{key}'" for key in unknown])
    for key in value if "propertyNames" in schema else ():
        if wrong := problem(key, schema["propertyNames"], root, f"{path}.{key}"):
            return wrong
    inner = {key: properties.get(key, others if isinstance(others, dict) else {}) for key in value}
    return next(filter(None, (problem(value[key], inner[key], root, f"{path}.{key}") for key in value)), None)


def size_problem(value, schema, path):
    """Returns the problem with the number or the length of the value, or None."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low, high, size = schema.get("minimum"), schema.get("maximum"), value
    else:
        kind = "Items" if isinstance(value, list) else "Properties" if isinstance(value, dict) else None
        low, high, size = schema.get(f"min{kind}"), schema.get(f"max{kind}"), len(value) if kind else 0
    above = schema.get("exclusiveMinimum") if size is value else None
    wrong = low is not None and size < low or above is not None and size <= above or high is not None and size > high
    return f"{path}: {size} is not from {low} to {high}" if wrong else None


def part_problem(value, schema, root, path):
    """Returns the problem with the schemas that the schema combines, or None."""
    parts = schema.get("anyOf")
    if parts and all(problem(value, part, root, path) for part in parts):
        return f"{path}: {value!r} fits none of anyOf"
    if "not" in schema and not problem(value, schema["not"], root, path):
        return f"{path}: {value!r} fits the schema of not"
    branch = []
    if "if" in schema:
        branch = [schema.get("else" if problem(value, schema["if"], root, path) else "then", {})]
    return next(filter(None, (problem(value, part, root, path) for part in [*schema.get("allOf", []), *branch])), None)


def problem(value, schema, root, path="$"):
    """Returns the problem with the value, or None."""
    if "$ref" in schema:
        return problem(value, root["definitions"][schema["$ref"].removeprefix("#/definitions/")], root, path)
    unknown = set(schema) - KEYWORDS
    if unknown:
        raise ValueError(f"{path}: unsupported keywords of schemas: {unknown}")
    types = schema.get("type", list(TYPES))
    if not any(is_type(value, name) for name in ([types] if isinstance(types, str) else types)):
        return f"{path}: {value!r} is not of type {types}"
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        return f"{path}: {value!r} is none of {schema.get('enum', schema.get('const'))}"
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        return f"{path}: {value!r} does not match {schema['pattern']}"
    if wrong := size_problem(value, schema, path) or part_problem(value, schema, root, path):
        return wrong
    if isinstance(value, list):
        return next(filter(None, (problem(item, schema.get("items", {}), root, f"{path}[{i}]") for i, item in enumerate(value))), None)
    return object_problem(value, schema, root, path) if isinstance(value, dict) else None
