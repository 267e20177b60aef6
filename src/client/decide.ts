import type { Dialect } from '../dialects/kernel/dialect.ts';
import { choose, type InterfaceChoice, type InterfacePreferences, type ReadCard } from './choose.ts';
import { allDialects } from './dialects.ts';
import { type ProbeOptions, probe } from './probe/index.ts';
import { methodOf } from './probe/tables.ts';
import type { FoundCard } from './read-card.ts';

export interface DecideOptions extends InterfacePreferences, Omit<ProbeOptions, 'card' | 'listedOnly' | 'via' | 'as'> {
  /** Also ask if the possible dialects send messages by the same method, and differ only in others. Default false. */
  readonly thorough?: boolean;
}

/**
 * Decides how to call an agent that has a card: as the card says, if only one dialect can have written it. Otherwise
 * asks the agent harmless questions over the listed interfaces; if they do not tell, the most likely dialect is used.
 * Also returns the card as read in that dialect.
 *
 * @throws A2AError `unsupportedOperation` that says what the card offers instead; `canceled`
 */
export async function decide(
  target: string,
  found: FoundCard,
  options: DecideOptions,
): Promise<{ readonly choice: InterfaceChoice; readonly reading: ReadCard }> {
  const { dialects = allDialects(), thorough = false, ...asking } = options;
  const byCard = () => ({ choice: choose(found, dialects, options), reading: found });
  const isOpen = found.alternatives.some(({ dialect }) => thorough || sendsBy(dialect) !== sendsBy(found.dialect));
  if (options.as !== undefined || !isOpen) return byCard();
  const report = await probe(target, { ...asking, dialects, card: found, listedOnly: true });
  const [best] = report.found;
  const reading = [found, ...found.alternatives].find(({ dialect }) => dialect.name === best?.dialect);
  if (best === undefined || reading === undefined) return byCard();
  return { choice: choose(reading, dialects, { via: best.binding, as: best.dialect }), reading };
}

const sendsBy = (dialect: Dialect): string | undefined => methodOf('jsonrpc', dialect, 'SendMessage')?.names[0];
