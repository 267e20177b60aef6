import { hash } from 'node:crypto';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import { canonicalJson } from '../../../wire/canonical-json.ts';
import type { Offer, Registration, Revision } from './store.ts';

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
  const [same, served] = [revisions.find((each) => each.id === id), approvedIn(registration)];
  // An operator's choice stays.
  const isBack = rule === 'never' && same?.state === 'former' && served !== undefined && !served.decidedBy;
  if (same && !isBack) return registration;
  const isFirst = !revisions.some(({ state }) => state === 'approved' || state === 'former');
  const isServed = rule === 'never' || (rule === 'changes' && isFirst);
  const revision: Revision = {
    ...{ id, state: isServed ? 'approved' : 'waiting', seenAt: now, offer, card: read },
    ...(isServed && { decidedAt: now }),
  };
  // A card that changes all the time pushes nothing out: one waits at a time.
  const others = revisions
    .filter((each) => each !== same && each.state !== 'waiting')
    .map((each): Revision => (isServed && each.state === 'approved' ? { ...each, state: 'former' } : each));
  const kept = others.filter(({ state }, i) => i < keptRevisions - 1 || state === 'approved');
  return { ...registration, revisions: [revision, ...kept] };
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
