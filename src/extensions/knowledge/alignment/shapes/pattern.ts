import { withTimeLimit } from '../../../../core/limits/time-limit.ts';
import { TooMuchToJudge } from '../rule.ts';

export interface PatternMatch {
  readonly pattern: RegExp;
  /** As the shapes have it. */
  readonly source: string;
  readonly value: string;
}

/** Milliseconds for some values, and how many they may be: an interruptible call costs as much as a hundred matches. */
const longest = 250;
export const atOnce = { values: 200, characters: 100_000 } as const;

/**
 * Matches some values, which V8 interrupts where a pattern backtracks for too long: callers choose the values. Returns the
 * results and the milliseconds that they took.
 */
export function matchSome(some: readonly PatternMatch[]): {
  readonly results: boolean[];
  readonly milliseconds: number;
} {
  const results: boolean[] = [];
  const begun = performance.now();
  try {
    withTimeLimit(longest, () => {
      for (const { pattern, value } of some) {
        pattern.lastIndex = 0;
        results.push(pattern.test(value));
      }
    });
  } catch {
    throw new TooMuchToJudge(`a value is too long for the pattern ${JSON.stringify(some[results.length]?.source)}`);
  }
  return { results, milliseconds: performance.now() - begun };
}
