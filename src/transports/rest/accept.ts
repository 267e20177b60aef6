/** Which media type a JSON answer has (RFC 9110 section 12.5.1). */

const json = 'application/json';

/**
 * The binding's own media type, or `application/json` where the client prefers that. The answer is the same JSON in
 * either, so that a client that accepts neither gets the binding's own all the same.
 *
 * @param accept the header as it came
 * @param own the binding's own media type
 */
export function answerType(accept: string | undefined, own: string): string {
  // Most clients name no type, or any.
  if (own === json || accept === undefined || !accept.toLowerCase().includes(json)) return own;
  const ranges = accept.split(',').map(readRange);
  return weightOf(json, ranges) > weightOf(own, ranges) ? json : own;
}

interface MediaRange {
  readonly type: string;
  readonly weight: number;
}

function readRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
  return { type, weight: weight >= 0 && weight <= 1 ? weight : 0 };
}

/** How much a range says about a type that it names less precisely: of equal weights the precise one is preferred. */
const imprecise = 1e-4;

/** The weight of a type: that of the most precise range it is in; 0 in none. */
function weightOf(type: string, ranges: readonly MediaRange[]): number {
  const precise = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  for (const [rank, range] of precise.entries()) {
    const found = ranges.find((one) => one.type === range);
    if (found) return found.weight - rank * imprecise;
  }
  return 0;
}
