/**
 * Parts of reasons that differ from task to task: the beginning of an id that was cut off, UUIDs, hexadecimal numbers of eight digits,
 * times, and decimal numbers, except those of names such as `gpt-4` and statuses such as `HTTP 402`.
 */
const changing = [
  /\b[\da-f-]{1,64}…$/i,
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi,
  /\b(?:0x)?[\da-f]{8,}\b/gi,
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?/g,
  /\d{5,}/g,
  // Words before a number say that it is a status.
  /(?<![\p{L}\d_.-])(?<!\b(?:HTTP|status|code|error|answered|returned|responded|with)[ :=]{1,2})-?\d+(?:[.,:]\d+)*/giu,
] as const;

/** The reason of a task as those of other tasks for the same reason are: what differs from task to task is an ellipsis. */
export const foldedReason = (reason: string): string =>
  changing.reduce((text, part) => text.replace(part, '…'), reason);
