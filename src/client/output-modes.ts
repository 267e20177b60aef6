import type { AgentCard, SendMessageRequest } from '../core/model/a2a.ts';
import type { Invoke } from '../core/model/call.ts';
import type { WireProtocol } from '../dialects/kernel/wire.ts';

/**
 * Adds to a message whose caller does not say which media types are accepted all that the agent's card names: agents
 * made with fasta2a refuse a configuration without them.
 *
 * @param cardOf the agent's card, as it is when a message is sent
 */
export function withOutputModes(
  { namesOutputModes }: WireProtocol,
  cardOf: () => AgentCard | undefined,
): (next: Invoke) => Invoke {
  if (!namesOutputModes) return (next) => next;
  return (next) => (call) => {
    const request = call.request as Partial<SendMessageRequest>;
    if (!request.message || request.configuration?.acceptedOutputModes) return next(call);
    const acceptedOutputModes = modesOf(cardOf());
    if (acceptedOutputModes.length === 0) return next(call);
    return next({
      ...call,
      request: { ...request, configuration: { ...request.configuration, acceptedOutputModes } } as SendMessageRequest,
    });
  };
}

const modesOf = (card: AgentCard | undefined): string[] => [
  ...new Set([
    ...(card?.defaultOutputModes ?? []),
    ...(card?.skills ?? []).flatMap(({ outputModes = [] }) => outputModes),
  ]),
];
