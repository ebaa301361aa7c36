/* Included before every source that the model checker reads: its own offsetof is no constant expression. */
#undef __builtin_offsetof
