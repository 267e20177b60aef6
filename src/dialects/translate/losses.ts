import type { CodecContext } from '../kernel/codec.ts';

/** Something that a translation dropped. */
export interface Loss {
  /** Path of the field in A2A 1.x, such as `parts.metadata`. */
  readonly path: string;
  readonly reason: string;
  /**
   * Whether readers miss it. Otherwise it is an id or framing that the dialect does not have, or it stands elsewhere in the same
   * document; `A2A-Gateway-Loss` does not name it.
   */
  readonly missed: boolean;
  /** The first such value, as JSON. */
  readonly sample?: string;
}

/** Characters of a sample. */
const maxSample = 120;

/**
 * What conversions noted as lost, by path.
 *
 * @param v1 what was translated, in v1
 */
export function lossesOf(
  { losses, unreported }: Pick<CodecContext, 'losses' | 'unreported'>,
  v1: unknown,
  dialect: string,
): Loss[] {
  const paths = [...losses.union(unreported ?? new Set<string>())].sort();
  return paths.map((path) => {
    const missed = losses.has(path);
    const [value] = valuesAt(v1, path.split('.'));
    const text = value === undefined ? undefined : JSON.stringify(value);
    const sample = text && text.length > maxSample ? `${text.slice(0, maxSample)}…` : text;
    return { path, reason: reasonOf(path, missed, dialect), missed, ...(sample !== undefined && { sample }) };
  });
}

function reasonOf(path: string, missed: boolean, dialect: string): string {
  if (path === 'method') return `${dialect} needs a second call, which this frame is not`;
  return missed ? `${dialect} has no place for it` : `${dialect} does not have it, or says it elsewhere in the frame`;
}

/** The values at a path, through lists. */
function valuesAt(value: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, step === undefined ? [] : [step, ...rest]));
  if (step === undefined) return value === undefined ? [] : [value];
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return [];
  return valuesAt((value as Record<string, unknown>)[step], rest);
}
