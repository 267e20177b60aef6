import type { DialectName } from '../../dialects/kernel/dialect.ts';

/** One of several dialects that an agent may speak at one URL. */
export interface DialectCandidate {
  readonly name: DialectName;
  /** Whether the card lists it there; `doubtful`: if the card is read as a card of that dialect. */
  readonly listed: boolean | 'doubtful';
  /** Names of its methods that were tried. */
  readonly own: ReadonlySet<string>;
}

/** The methods that were tried, by whether the agent has them. */
export interface MethodEvidence {
  readonly present: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
}

/** The judgement on a candidate. */
export interface DialectVerdict {
  readonly name: DialectName;
  /** The evidence for it besides the shared method. */
  readonly because?: string;
  /** The evidence against it: it is not spoken. */
  readonly why?: string;
  /** Others that fit as well. */
  readonly unsure?: readonly DialectName[];
}

interface Ranked extends DialectCandidate {
  /** Numbers of its methods that are present and missing. */
  readonly has: number;
  readonly lacks: number;
}

/**
 * Decides which of several dialects are spoken: those first, the most likely one at the front.
 *
 * - If dialects have all methods that were found, the ones with the fewest missing methods are spoken.
 * - If no dialect has them all, every dialect that has one of them is spoken.
 * - If no distinguishing method was found, the card decides, and without a card it cannot be decided.
 * - A dialect that the card lists is spoken unless all evidence is against it.
 */
export function judgeDialects(
  candidates: readonly DialectCandidate[],
  { present, missing }: MethodEvidence,
): readonly DialectVerdict[] {
  const ranked = candidates
    .map((one): Ranked => {
      return { ...one, has: one.own.intersection(present).size, lacks: one.own.intersection(missing).size };
    })
    .sort((a, b) => b.has - a.has || a.lacks - b.lacks || trust(b) - trust(a));
  const { kept, unsure, rivals } = select(ranked, present.size);
  const names = kept.map(({ name }) => name).join(' and ');
  return [
    ...kept.map((one): DialectVerdict => {
      const others = unsure.includes(one) ? rivals.filter((other) => other !== one).map(({ name }) => name) : [];
      return { name: one.name, ...reason(one, present), ...(others.length > 0 && { unsure: others }) };
    }),
    ...ranked
      .filter((one) => !kept.includes(one))
      .map(({ name, own }): DialectVerdict => {
        const foreign = [...present.difference(own)].sort().join(', ');
        const unfit = `the agent knows ${foreign}, which this dialect does not have`;
        return { name, why: foreign ? unfit : `nothing shows that the agent speaks this besides ${names}` };
      }),
  ];
}

const trust = ({ listed }: Ranked): number => (listed === true ? 2 : Number(listed === 'doubtful'));

/** The dialects that are spoken, the most likely one first; which of them are unsure, and between which they are. */
interface DialectSelection {
  readonly kept: readonly Ranked[];
  readonly unsure: readonly Ranked[];
  readonly rivals: readonly Ranked[];
}

function select(ranked: readonly Ranked[], found: number): DialectSelection {
  if (found === 0) return selectByCard(ranked);
  const whole = ranked.find(({ has }) => has === found);
  if (whole === undefined) {
    const kept = ranked.filter(({ has, listed, own }) => has > 0 || listed === true || own.size === 0);
    const unsure = kept.filter(({ has, listed }) => has === 0 && listed !== true);
    return { kept: kept.toSorted((a, b) => trust(b) - trust(a)), unsure, rivals: kept };
  }
  const best = ranked.filter(({ has, lacks }) => has === found && lacks === whole.lacks);
  const kept = ranked.filter((one) => best.includes(one) || (one.listed === true && one.has > 0));
  return { kept, unsure: best.some(({ listed }) => listed === true) ? [] : best, rivals: best };
}

/** The selection if the agent only has methods that all dialects have. */
function selectByCard(ranked: readonly Ranked[]): DialectSelection {
  const listed = ranked.find((one) => one.listed === true);
  const fits = (one: Ranked): boolean =>
    listed === undefined || one === listed || (one.listed === 'doubtful' && one.lacks <= listed.lacks);
  const kept = ranked.filter(fits);
  return { kept, unsure: kept, rivals: kept };
}

function reason({ own, listed }: Ranked, present: ReadonlySet<string>): { readonly because?: string } {
  const names = [...own.intersection(present)].sort();
  if (names.length > 0) return { because: `knows ${names.join(', ')}` };
  return listed === false ? {} : { because: 'its card says so' };
}
