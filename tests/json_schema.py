"""Validates with the part of JSON Schema, draft 7, that specs/output.schema.json uses. No module is required."""
import re

TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict, "null": type(None)}
KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "pattern", "$ref", "description"}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def object_problem(value, schema, root, path):
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    missing = [key for key in schema.get("required", []) if key not in value]
    unknown = [key for key in value if key not in properties] if others is False else []
    if missing or unknown:
        return f"{path}: " + ", ".join([f"no key '{key}'" for key in missing] + [f"unknown key '{key}'" for key in unknown])
    inner = {key: properties.get(key, others if isinstance(others, dict) else {}) for key in value}
    return next(filter(None, (problem(value[key], inner[key], root, f"{path}.{key}") for key in value)), None)


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
    if "pattern" in schema and not re.search(schema["pattern"], value):
        return f"{path}: {value!r} does not match {schema['pattern']}"
    if isinstance(value, list):
        return next(filter(None, (problem(item, schema.get("items", {}), root, f"{path}[{i}]") for i, item in enumerate(value))), None)
    return object_problem(value, schema, root, path) if isinstance(value, dict) else None
