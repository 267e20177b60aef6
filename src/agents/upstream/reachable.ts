import { bindings } from '../../client/bindings.ts';
import { addressOf, type ReadCard } from '../../client/choose.ts';
import type { FoundCard } from '../../client/read-card.ts';
import type { AgentInterface } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { UrlGuard } from '../../net/guard.ts';
import { requireAllowed } from '../../net/reason.ts';

/**
 * The card without the interfaces that the guard does not let requests go to, so that another one is chosen: agents list
 * what only their own network can reach beside what the world can. Where none is left it is as it was, and calling it
 * says why that may not be.
 */
export function reachable(found: FoundCard, guard: UrlGuard | undefined): FoundCard {
  if (guard === undefined) return found;
  const less = <T extends ReadCard>(reading: T): T => {
    const left = reading.card.supportedInterfaces.filter((face) => isAllowed(face, found.url, guard));
    return left.length === 0 ? reading : { ...reading, card: { ...reading.card, supportedInterfaces: left } };
  };
  return { ...less(found), alternatives: found.alternatives.map(less) };
}

/** What is no URL is not judged here: whoever calls it says so. */
function isAllowed(face: AgentInterface, cardUrl: string, guard: UrlGuard): boolean {
  const binding = bindings.find(({ protocolBinding }) => protocolBinding === face.protocolBinding.toUpperCase());
  if (binding === undefined) return true;
  try {
    requireAllowed(guard, addressOf({ binding, interface: face }, cardUrl));
    return true;
  } catch (thrown) {
    return A2AError.from(thrown).kind !== 'upstreamUnreachable';
  }
}
