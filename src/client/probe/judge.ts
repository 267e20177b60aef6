import type { DialectName } from '../../dialects/kernel/dialect.ts';

/** What is known of one of several dialects that may be spoken at one URL. */
export interface DialectCandidate {
  readonly name: DialectName;
  /** Whether the card names it there; `doubtful`: if it is read as a card of that dialect. */
  readonly listed: boolean | 'doubtful';
  /** Names of its methods that were asked for. */
  readonly own: ReadonlySet<string>;
}

/** Which of the names that were asked for there are. */
export interface MethodEvidence {
  readonly present: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
}

/** What became of a candidate. */
export interface DialectVerdict {
  readonly name: DialectName;
  /** What speaks for it besides the shared method. */
  readonly because?: string;
  /** Why it is none. */
  readonly why?: string;
  /** Others that fit as well. */
  readonly unsure?: readonly DialectName[];
}

interface Ranked extends DialectCandidate {
  /** How many of its methods there are, and how many there are not. */
  readonly has: number;
  readonly lacks: number;
}

/**
 * Which of several dialects are spoken, the likeliest first; what is not is told at the end, with the reason.
 *
 * - Of the dialects that have every method which was found, those are spoken of which the fewest methods are missing.
 * - Where none has them all, several are spoken, and all that have one are.
 * - Where nothing was found but what all have, the card decides, and without it nobody can.
 * - What a card lists is believed unless everything that was found speaks against it.
 */
export function judgeDialects(
  candidates: readonly DialectCandidate[],
  { present, missing }: MethodEvidence,
): readonly DialectVerdict[] {
  const ranked = candidates
    .map((one): Ranked => {
      const has = one.own.intersection(present).size;
      return { ...one, has, lacks: one.own.intersection(missing).size };
    })
    .sort((a, b) => b.has - a.has || a.lacks - b.lacks || trust(b) - trust(a));
  const spoken = choose(ranked, present.size);
  const names = spoken.kept.map(({ name }) => name);
  return [
    ...spoken.kept.map((one) => ({ name: one.name, ...reason(one, present), ...rivals(spoken, one) })),
    ...ranked
      .filter((one) => !spoken.kept.includes(one))
      .map((one) => ({ name: one.name, why: objection(one, names, present) })),
  ];
}

const trust = ({ listed }: Ranked): number => (listed === true ? 2 : Number(listed === 'doubtful'));

/** What is spoken, the likeliest first, and which of that cannot be told from what else. */
interface DialectSelection {
  readonly kept: readonly Ranked[];
  readonly unsure: readonly Ranked[];
  readonly rivals: readonly Ranked[];
}

function choose(ranked: readonly Ranked[], found: number): DialectSelection {
  const [whole] = ranked.filter(({ has }) => has === found);
  if (found === 0) return byCard(ranked);
  if (whole === undefined) {
    const kept = ranked.filter(({ has, listed, own }) => has > 0 || listed === true || own.size === 0);
    const unsure = kept.filter(({ has, listed }) => has === 0 && listed !== true);
    return { kept: kept.toSorted((a, b) => trust(b) - trust(a)), unsure, rivals: kept };
  }
  const best = ranked.filter(({ has, lacks }) => has === found && lacks === whole.lacks);
  const kept = ranked.filter((one) => best.includes(one) || (one.listed === true && one.has > 0));
  return { kept, unsure: best.some(({ listed }) => listed === true) ? [] : best, rivals: best };
}

/** Where there is nothing but what all of them have. */
function byCard(ranked: readonly Ranked[]): DialectSelection {
  const listed = ranked.find((one) => one.listed === true);
  if (listed === undefined) return { kept: ranked, unsure: ranked, rivals: ranked };
  const kept = ranked.filter((one) => one === listed || (one.listed === 'doubtful' && one.lacks <= listed.lacks));
  return { kept, unsure: kept, rivals: kept };
}

function rivals({ unsure, rivals: all }: DialectSelection, self: Ranked): { readonly unsure?: readonly DialectName[] } {
  const others = all.filter((one) => one !== self).map(({ name }) => name);
  return unsure.includes(self) && others.length > 0 ? { unsure: others } : {};
}

function reason({ own, listed }: Ranked, present: ReadonlySet<string>): { readonly because?: string } {
  const names = [...own.intersection(present)].sort();
  if (names.length > 0) return { because: `knows ${names.join(', ')}` };
  return listed === false ? {} : { because: 'its card says so' };
}

function objection({ own }: Ranked, kept: readonly DialectName[], present: ReadonlySet<string>): string {
  const foreign = [...present.difference(own)].sort();
  return foreign.length > 0
    ? `the agent knows ${foreign.join(', ')}, which this is without`
    : `nothing shows that the agent speaks this besides ${kept.join(' and ')}`;
}
