import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { canonicalJson } from '../../wire/canonical-json.ts';
import type { Offer, Registration, RegistrationRow, Revision } from './store.ts';

/** Bytes of a card. */
const maxCard = 65_536;
const keptRevisions = 10;

export const approvedIn = ({ revisions }: Pick<Registration, 'revisions'>): Revision | undefined =>
  revisions.find(({ state }) => state === 'approved');

/**
 * A registration with a card that was read for its offer: served at once where no approval is needed.
 *
 * @param read a text: why there is no card
 * @param rule which cards wait
 */
export function withCard(
  registration: Registration,
  read: JsonObject | string,
  rule: 'always' | 'changes' | 'never',
  now: number,
): Registration {
  if (typeof read === 'string') return { ...registration, problem: read };
  const { offer, revisions } = registration;
  const id = hash('sha256', canonicalJson({ offer, card: read }), 'hex').slice(0, 32);
  const same = revisions.find((each) => each.id === id);
  const served = approvedIn(registration);
  // An operator's choice stays.
  const isBack = same?.state === 'former' && (served ? rule === 'never' && !served.decidedBy : true);
  if (same && !isBack)
    return { ...registration, revisions: revisions.map((each) => (each === same ? own(each) : each)) };
  const isRefused = isBack && !served && isTakenOut(registration);
  const isServed = (rule === 'never' && !isRefused) || (rule === 'changes' && isFirst(registration));
  const state = isServed ? 'approved' : 'waiting';
  const revision: Revision = { id, state, seenAt: now, ...(isServed && { decidedAt: now }), offer, card: read };
  // A card that changes all the time pushes nothing out: one waits at a time.
  const others = revisions
    .filter((each) => each !== same && each.state !== 'waiting')
    .map((each): Revision => (isServed && each.state === 'approved' ? { ...each, state: 'former' } : each));
  const kept = others.filter(({ state }, i) => i < keptRevisions - 1 || state === 'approved');
  return { ...registration, revisions: [revision, ...kept] };
}

/** Whether no card was ever seen under its name. One that an operator refused was seen, too. */
const isFirst = ({ revisions, used }: Registration): boolean => revisions.length === 0 && used !== true;

/** Whether an operator's refusal was the last decision. */
function isTakenOut({ revisions }: Registration): boolean {
  const [last] = revisions.toSorted((a, b) => (b.decidedAt ?? 0) - (a.decidedAt ?? 0));
  return last?.state === 'refused';
}

/** A revision as the owner of the registration offers it. */
function own({ owner: _, ...revision }: Revision): Revision {
  return revision;
}

/** Whether its name has to keep what was decided about its cards, by an operator or by the configuration. */
export const hasDecisions = ({ revisions, used }: Registration): boolean =>
  used === true || revisions.some(({ state }) => state !== 'waiting');

/** Whether an operator decided about one of its cards. */
export const isJudged = ({ revisions }: Registration): boolean => revisions.some(({ decidedBy }) => decidedBy);

/** A registration after its removal: what was decided about its cards. */
export function removed(
  { revisions, problem: _, ...registration }: Registration,
  by: string | undefined,
): Registration {
  const judged = revisions.filter(({ state }) => state !== 'waiting');
  return { ...registration, revisions: judged, used: true, ...(by !== undefined && { removedBy: by }) };
}

/**
 * The facts that a new registration takes over from the removed one: its owner's approved card is served again for the same
 * offer; for another offer, and for another owner, it has only been served before.
 */
export function takenOver(
  { owner: before, registration }: RegistrationRow,
  { owner, offer }: { readonly owner: string; readonly offer: Offer },
): Pick<Registration, 'revisions' | 'used'> {
  const revisions = registration.revisions.map((revision): Revision => {
    const by = revision.owner ?? before;
    const isServed = by === owner && isDeepStrictEqual(revision.offer, offer);
    const state = revision.state === 'approved' && !isServed ? 'former' : revision.state;
    return { ...own(revision), state, ...(by !== owner && { owner: by }) };
  });
  return { revisions, used: true };
}

/** The revisions after a decision about one of them. Undefined: it is not there. */
export function decided(
  { revisions }: Registration,
  id: string,
  state: 'approved' | 'refused',
  { at, by }: { readonly at: number; readonly by: string },
): Revision[] | undefined {
  if (!revisions.some((each) => each.id === id)) return undefined;
  return revisions.map((each): Revision => {
    if (each.id === id) return { ...each, state, decidedAt: at, decidedBy: by };
    return state === 'approved' && each.state === 'approved' ? { ...each, state: 'former' } : each;
  });
}

/** A card that can be kept; a text: why it cannot. */
export function keepable(card: unknown): JsonObject | string {
  if (!isObject(card)) return 'the card is no object';
  try {
    const bytes = Buffer.byteLength(canonicalJson(card));
    return bytes > maxCard ? `the card has ${bytes} bytes: at most ${maxCard} may be registered` : card;
  } catch (thrown) {
    return `the card cannot be kept: ${(thrown as Error).message}`;
  }
}

/** A card with what its owner replaces in it, in every dialect: these members are the same in all. */
export function shownCard({ title, description, skills }: Offer, card: JsonObject): JsonObject {
  const offered = Array.isArray(card.skills)
    ? card.skills.filter((skill) => isObject(skill) && skills.includes(String(skill.id)))
    : [];
  return {
    ...card,
    ...(title !== '' && { name: title }),
    ...(description !== '' && { description }),
    ...(skills.length > 0 && { skills: offered }),
  };
}
