/**
 * Parts of reasons that differ from task to task: the beginning of an id that was cut off, UUIDs, hexadecimal numbers of eight digits,
 * times, and long numbers.
 */
const changing = [
  /\b[\da-f-]{1,64}…$/i,
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi,
  /\b(?:0x)?[\da-f]{8,}\b/gi,
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?/g,
  /\d{5,}/g,
] as const;

const decimal = /-?\d+(?:[.,:]\d+)*/g;
/** The end of the text before a number that belongs to a name, such as `gpt-4`. */
const name = /[\p{L}\d_.-]$/u;
/** The end of the text before a number that is a status, such as `HTTP 402`, which says why something failed. */
const status = /\b(?:HTTP|status|code|error|answered|returned|responded|with)[ :=]{1,2}$/i;
/** Characters that `name` and `status` need of the text before a number. */
const before = 16;

/** The reason of a task as those of other tasks for the same reason are: what differs from task to task is an ellipsis. */
export function foldedReason(reason: string): string {
  const folded = changing.reduce((text, part) => text.replace(part, '…'), reason);
  return folded.replace(decimal, (number, at: number) => {
    const end = folded.slice(Math.max(0, at - before), at);
    return name.test(end) || status.test(end) ? number : '…';
  });
}
