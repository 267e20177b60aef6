import type { DialectName } from '../../dialects/kernel/dialect.ts';

/** One of several dialects that an agent may speak at one URL. */
export interface DialectCandidate {
  readonly name: DialectName;
  /**
   * Whether the card lists the dialect at the URL; `doubtful` if it does so only when read as a card of that dialect.
   */
  readonly listed: boolean | 'doubtful';
  /** Names of the dialect's methods that were tried. */
  readonly own: ReadonlySet<string>;
}

/** The methods that were tried, by whether the agent has them. */
export interface MethodEvidence {
  readonly present: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
}

/** The verdict on a candidate. */
export interface DialectVerdict {
  readonly name: DialectName;
  /** Evidence that the dialect is spoken, besides the shared method. */
  readonly because?: string;
  /** Evidence against the dialect. If present, the dialect is not spoken. */
  readonly why?: string;
  /** Other dialects that fit equally well. */
  readonly unsure?: readonly DialectName[];
}

interface Ranked extends DialectCandidate {
  /** Number of the dialect's methods that the agent has. */
  readonly has: number;
  /** Number of the dialect's methods that the agent lacks. */
  readonly lacks: number;
}

/**
 * Decides which of several dialects an agent speaks. These come first, the most likely one at the front.
 *
 * - If some dialects have all methods that were found, those with the fewest missing methods are spoken.
 * - If no dialect has them all, every dialect that has one of them is spoken.
 * - If no distinguishing method was found, the card decides. Without a card, all dialects are kept as unsure.
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

/**
 * The dialects that are spoken, the most likely one first; those among them that are unsure; and the rivals that fit
 * equally well.
 */
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

/** Selects by the card, if the agent has only methods that all the dialects have. */
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
