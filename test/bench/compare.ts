import { type Figure, rounded } from './part.ts';
import type { PartResult } from './results.ts';

type Results = Readonly<Record<string, PartResult>>;

/** One measure of two runs. */
export interface Change {
  readonly what: string;
  readonly before: number;
  readonly now: number;
  /** Now over before; for figures, divided by how much the figures of the other servers beside them have changed. */
  readonly change: number;
}

/** Whether a figure is of this project, and not of what it is measured against. */
const isOurs = ({ server }: Figure): boolean => /^(gateway|mounted)/.test(server);

/**
 * Compares two runs. The speed of a machine drifts, so a figure is compared by its ratio to the figures of other servers
 * in the same scenario: 1 is unchanged, also on a machine that has become twice as slow.
 */
export function compare(earlier: Results, now: Results): Change[] {
  return Object.entries(now).flatMap(([name, part]) => {
    const before = earlier[name];
    if (!before) return [];
    const ratios = part.ratios.flatMap(({ what, measured }) => {
      const old = before.ratios.find((each) => each.what === what);
      return old ? [{ what, before: old.measured, now: measured, change: rounded(measured / old.measured) }] : [];
    });
    return [...ratios, ...part.figures.filter(isOurs).flatMap((figure) => changesOf(figure, before, part))];
  });
}

function changesOf(figure: Figure, before: PartResult, part: PartResult): Change[] {
  const { scenario, server, ...measures } = figure;
  const old = earlierOf(figure, before);
  return Object.entries(measures).flatMap(([measure, now]) => {
    const was = old?.[measure];
    if (typeof now !== 'number' || typeof was !== 'number') return [];
    const others = part.figures.filter((each) => each.scenario === scenario && !isOurs(each));
    const drifts = others.flatMap((other) => {
      const [to, from] = [other[measure], earlierOf(other, before)?.[measure]];
      return typeof to === 'number' && typeof from === 'number' ? [Math.log(to / from)] : [];
    });
    const drift = Math.exp(drifts.reduce((sum, each) => sum + each, 0) / Math.max(drifts.length, 1));
    return [{ what: `${scenario}, ${server}: ${measure}`, before: was, now, change: rounded(now / was / drift) }];
  });
}

const earlierOf = ({ scenario, server }: Figure, { figures }: PartResult): Figure | undefined =>
  figures.find((each) => each.scenario === scenario && each.server === server);
