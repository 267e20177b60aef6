import type { Dialect } from '../dialects/kernel/dialect.ts';
import { choose, type InterfaceChoice, type InterfacePreferences, type ReadCard } from './choose.ts';
import { allDialects } from './dialects.ts';
import { type ProbeOptions, probe } from './probe/index.ts';
import { methodOf } from './probe/tables.ts';
import type { FoundCard } from './read-card.ts';

/** How an agent is to be called, and its card in the generation that this is. */
export interface Decision {
  readonly choice: InterfaceChoice;
  readonly reading: ReadCard;
}

export interface DecideOptions extends InterfacePreferences, Omit<ProbeOptions, 'card' | 'listedOnly' | 'via' | 'as'> {
  /** Also ask where the generations in question send messages by the same name, and only the rest differs. Default false. */
  readonly thorough?: boolean;
}

/**
 * Decides how to call an agent that has a card: as the card says where one generation alone can have written it. Where
 * several can, the agent is asked, over what the card lists and with questions that do nothing; where it does not tell,
 * the likeliest generation stands.
 *
 * @throws A2AError `unsupportedOperation` that says what the card offers instead; `canceled`
 */
export async function decide(target: string, found: FoundCard, options: DecideOptions): Promise<Decision> {
  const { dialects = allDialects(), thorough = false, via, as, ...asking } = options;
  const wishes = { ...(via !== undefined && { via }), ...(as !== undefined && { as }) };
  const byCard = (): Decision => ({ choice: choose(found, dialects, wishes), reading: found });
  const open = found.alternatives.some(({ dialect }) => thorough || sendsBy(dialect) !== sendsBy(found.dialect));
  if (as !== undefined || !open) return byCard();
  const report = await probe(target, { ...asking, ...wishes, dialects, card: found, listedOnly: true });
  const [best] = report.found;
  const reading = [found, ...found.alternatives].find(({ dialect }) => dialect.name === best?.dialect);
  if (best === undefined || reading === undefined) return byCard();
  return { choice: choose(reading, dialects, { via: best.binding, as: best.dialect }), reading };
}

const sendsBy = (dialect: Dialect): string | undefined => methodOf('jsonrpc', dialect, 'SendMessage')?.names[0];
