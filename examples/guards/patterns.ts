import type { GuardJudge } from '../../src/index.ts';

// A judge of patterns: keys of services, private keys, and card numbers. It replaces them in texts, and blocks parts where that
// cannot be done.

const patterns: readonly {
  readonly what: string;
  readonly pattern: RegExp;
  readonly test?: (text: string) => boolean;
}[] = [
  { what: 'a private key', pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----/g },
  { what: 'an API key', pattern: /\b(?:sk-[\w-]{20,}|AKIA[0-9A-Z]{16}|gh[pousr]_\w{36,}|xox[abpr]-[\w-]{20,})/g },
  { what: 'a card number', pattern: /\b\d(?:[ -]?\d){12,18}\b/g, test: hasCheckDigit },
];

/** Whether the last digit of a card number is the check digit of the others (Luhn). */
function hasCheckDigit(text: string): boolean {
  const digits = [...text.replaceAll(/\D/g, '')].reverse().map(Number);
  const sum = digits.reduce((total, digit, at) => {
    const doubled = at % 2 === 0 ? digit : digit * 2;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** A finding in a text, with its end. */
function found(text: string): { readonly what: string; readonly from: number; readonly to: number }[] {
  return patterns.flatMap(({ what, pattern, test = () => true }) =>
    [...text.matchAll(pattern)]
      .filter(([match]) => test(match))
      .map(({ 0: match, index }) => ({ what, from: index, to: index + match.length })),
  );
}

function withoutFound(text: string): string {
  const places = found(text).sort((a, b) => b.from - a.from);
  return places.reduce(
    (left, { what, from, to }) => `${left.slice(0, from)}[${what} was removed]${left.slice(to)}`,
    text,
  );
}

const judge: GuardJudge = ({ parts, window = '' }) => {
  const texts = parts.map(({ text = '' }) => text).join('');
  // The beginning was shown with an earlier chunk: the rest must not follow.
  const cut = found(window + texts).find(({ from, to }) => from < window.length && to > window.length);
  if (cut) return { action: 'block', reason: `${cut.what} in several chunks` };
  const [inData] = parts.flatMap(({ data }) => (data === undefined ? [] : found(JSON.stringify(data))));
  if (inData) return { action: 'block', reason: `${inData.what} in data` };
  const [first] = found(texts);
  if (!first) return { action: 'allow' };
  const replaced = parts.map((part) => (part.text === undefined ? part : { ...part, text: withoutFound(part.text) }));
  return { action: 'replace', reason: first.what, parts: replaced };
};
export default judge;
