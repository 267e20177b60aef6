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
/** The end of the text before a number, if the number belongs to a name, such as `gpt-4`. */
const name = /[\p{L}\d_.-]$/u;
/** The end of the text before a number, if the number is a status, such as `HTTP 402`: the status is part of the reason. */
const status = /\b(?:HTTP|status|code|error|answered|returned|responded|with)[ :=]{1,2}$/i;
/** Characters of the text before a number that `name` and `status` match. */
const before = 16;

/**
 * The reason of a task's failure with an ellipsis for each part that differs from task to task, so that tasks that failed for the
 * same reason have equal texts.
 */
export function foldedReason(reason: string): string {
  const folded = changing.reduce((text, part) => text.replace(part, '…'), reason);
  return folded.replace(decimal, (number, at: number) => {
    const end = folded.slice(Math.max(0, at - before), at);
    return name.test(end) || status.test(end) ? number : '…';
  });
}
