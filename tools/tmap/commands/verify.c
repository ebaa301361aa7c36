/* tmap verify: compares the copies of spec files on a device with the emulator. */
#include "device/copies_on_device.h"
#include "device/recordings.h"
#include "options/command.h"

static const option_row options[] = {
    DEVICE_OPTIONS(verify_options, device),
    {"--copy", "NAME", "only the copies of this name", offsetof(verify_options, copy), NULL},
    {"--seed", "N", "seed of the contents of memory (1)", offsetof(verify_options, seed), take_number},
    {"-o", "FILE", "record the results of the device, as capture copies does", offsetof(verify_options, record_path),
     NULL},
    DATE_OPTION(verify_options, date),
    SHARD_OPTION(verify_options, shard),
    NO_FAULTS_OPTION(verify_options, no_faults),
    {"--json", NULL, "print the result as JSON", offsetof(verify_options, json), NULL},
    JUDGING_OPTIONS(verify_options, judging),
    ASSUME_OPTION(verify_options, judging.judge.assume),
    {0},
};

static int run_verify(const operand_list *operands, void *values) {
    verify_options *o = values;
    return verify_files(o, operands->items, (size_t)operands->n);
}

const command_row verify_command = {
    .name = "verify",
    .summary = "run copies of specs on a device and compare every byte with the emulator",
    .synopsis = "FILE...",
    .about = "Runs every copy twice, with two contents of its destination, and compares with the prediction: shared\n"
             "and global memory, the guards around them, and the transaction bytes that the barrier counts. A copy\n"
             "whose expect: block names a rule that rejects it runs alone and last, and must show the rule's symptom.\n"
             "The exit status is 1 if a copy differs or the device fails, 4 without a device.",
    OPTIONS_IN(verify_options),
    .operands = {1, OPERANDS_ANY},
    .run = run_verify,
};
