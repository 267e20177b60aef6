/** Ways in which an agent may garble one value of its answer. */

export type Path = readonly (string | number)[];

/** A value in a document, with its path. */
export interface Leaf {
  readonly path: Path;
  readonly value: unknown;
}

/** Stands for a key and a number that no object and no double can hold; the text of the answer has them. */
const protoKey = '@@proto';
const bigNumber = '@@big';

interface Garbling {
  readonly name: string;
  /** The value in place of one; undefined where the garbling does not apply, or takes the member away. */
  of(value: unknown, leaf: Leaf): unknown;
  readonly removes?: true;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isName = (value: unknown): value is string => typeof value === 'string' && /^[A-Z_a-z-]{3,}$/.test(value);

/** Whether a value is one of several names. */
const isChoice = ({ path }: Leaf): boolean => ['state', 'role', 'kind', 'type'].includes(`${path.at(-1)}`);

export const garblings: readonly Garbling[] = [
  {
    name: 'the type is another one',
    of(value) {
      if (typeof value === 'string') return 42;
      return typeof value === 'object' ? 'a text' : `${value}!`;
    },
  },
  { name: 'is null', of: () => null },
  { name: 'is a list', of: (value) => (Array.isArray(value) ? undefined : []) },
  { name: 'is an object', of: (value) => (isRecord(value) ? undefined : {}) },
  {
    name: 'is misspelt',
    of: (value, leaf) => (isName(value) && isChoice(leaf) ? `${value}x` : undefined),
  },
  {
    name: 'is in capitals or small letters',
    of(value, leaf) {
      if (!isName(value) || !isChoice(leaf)) return undefined;
      return value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase();
    },
  },
  { name: 'has half a character', of: (value) => (typeof value === 'string' ? `${value}\ud83d!` : undefined) },
  {
    name: 'is wrapped base64',
    of: (value, { path }) =>
      typeof value === 'string' && ['bytes', 'raw', 'fileWithBytes'].includes(`${path.at(-1)}`)
        ? `${value.slice(0, 4)}\r\n${value.slice(4)}`
        : undefined,
  },
  { name: 'is missing', of: () => undefined, removes: true },
  { name: 'is a number beyond 2^53', of: (value) => (typeof value === 'number' ? bigNumber : undefined) },
  {
    name: 'has a key __proto__',
    of: (value) => (isRecord(value) ? { ...value, [protoKey]: { polluted: true } } : undefined),
  },
];

/** Whether a value is below data or metadata, whose content is the agent's own: any value is as good as another there. */
const isOpaque = ({ path }: Leaf): boolean =>
  path.at(-1) === 'data' ||
  path
    .slice(0, -1)
    .some((step, at) => step === 'metadata' || (step === 'data' && path[at + 1] !== 'data') || isContent(path, at));

/** AgentVault has data in `content`, and objects are no parts there. */
const isContent = (path: Path, at: number): boolean => path[at] === 'content' && typeof path[at + 1] === 'string';

/** All values of a document but the document itself. */
export function leavesOf(document: unknown, path: Path = []): Leaf[] {
  if (typeof document !== 'object' || document === null) return [];
  return Object.entries(document).flatMap(([name, value]) => {
    const below = [...path, Array.isArray(document) ? Number(name) : name];
    return [{ path: below, value }, ...leavesOf(value, below)];
  });
}

/** The garbled value; undefined where the garbling does not apply to it, and where it removes it. */
function garbledValue(leaf: Leaf, garbling: Garbling): unknown {
  if (isOpaque(leaf) && !/half a character|__proto__/.test(garbling.name)) return undefined;
  return garbling.of(leaf.value, leaf);
}

/** Whether a garbling applies to a value. */
export const applies = (leaf: Leaf, garbling: Garbling): boolean =>
  garbling.removes ? !isOpaque(leaf) : garbledValue(leaf, garbling) !== undefined;

/** A copy of a document with one value garbled; undefined where the garbling does not apply to it. */
export function garbled(document: unknown, leaf: Leaf, garbling: Garbling): unknown {
  if (!applies(leaf, garbling)) return undefined;
  const value = garbledValue(leaf, garbling);
  const copy = structuredClone(document);
  const around = leaf.path.slice(0, -1).reduce((at: unknown, step) => (at as Record<string, unknown>)[step], copy);
  const last = leaf.path.at(-1) as string | number;
  if (!garbling.removes) (around as Record<string, unknown>)[last] = value;
  else if (Array.isArray(around)) around.splice(last as number, 1);
  else delete (around as Record<string, unknown>)[last];
  return copy;
}

/** A garbled document as the text that an agent sends. */
export const textOf = (document: unknown): string =>
  JSON.stringify(document).replaceAll(`"${protoKey}"`, '"__proto__"').replaceAll(`"${bigNumber}"`, '9007199254740993');
