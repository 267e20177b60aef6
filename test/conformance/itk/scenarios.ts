import type { InstructionType, SdkName } from './suite.ts';
import { sdkNames } from './suite.ts';

/** The scenarios of the kit (`run_tests.py`) for its agents in TypeScript: each calls the other, and is called back by it. */

export type Behavior = 'send_message' | 'push_notification' | 'resubscribe';

export interface Scenario {
  readonly name: string;
  readonly behavior: Behavior;
  readonly isStreaming: boolean;
  readonly protocol: 'jsonrpc' | 'grpc' | 'http_json';
  /** The agents in the order in which they are called. */
  readonly circuit: readonly SdkName[];
}

const behaviors = [
  ['send_message', false],
  ['send_message', true],
  ['push_notification', false],
  ['resubscribe', true],
] as const;

export const scenarios: readonly Scenario[] = sdkNames.flatMap((first) =>
  (['jsonrpc', 'grpc', 'http_json'] as const).flatMap((protocol) =>
    behaviors.map(([behavior, isStreaming]): Scenario => {
      const other = sdkNames.find((name) => name !== first) as SdkName;
      const name = `${first}-${behavior}${isStreaming && behavior === 'send_message' ? '-streaming' : ''}-${protocol}`;
      return { name, behavior, isStreaming, protocol, circuit: [first, other, first] };
    }),
  ),
);

/** A scenario as the first agent gets it. */
export interface Traversal {
  readonly instruction: Uint8Array;
  /** The texts that the first agent's answer must have. */
  readonly tokens: readonly string[];
  /** The answers of the agents, from the last to the first. */
  readonly states: readonly string[];
}

/**
 * The instructions of a scenario, from the last agent to the first: each says where it is, and calls the next one.
 *
 * @param urlOf where the card of an agent is
 * @param webhook the base URL that agents send notifications to
 */
export function traversalOf(
  { behavior, isStreaming, protocol, circuit }: Scenario,
  Instruction: InstructionType,
  urlOf: (name: SdkName) => string,
  webhook: string,
): Traversal {
  const holdTask = behavior === 'resubscribe';
  const answer = (response: string): object => ({ step: { $case: 'returnResponse', value: { response, holdTask } } });
  const end = `traversal-completed:${protocol}`;
  const tokens = [end];
  const states = [end];
  let instruction = answer(end);
  for (let at = circuit.length - 2; at >= 0; at -= 1) {
    const [from, to] = circuit.slice(at, at + 2) as [SdkName, SdkName];
    const token = `[${from} -> ${to} (${protocol})]`;
    tokens.push(token);
    states.push(`${token}\n${states.at(-1)}`);
    const call = {
      transport: protocol,
      agentCardUri: urlOf(to),
      instruction,
      streaming: isStreaming,
      behavior: behaviorOf(behavior, webhook),
    };
    const instructions = [answer(token), { step: { $case: 'callAgent', value: call } }];
    instruction = { step: { $case: 'steps', value: { instructions, responseGenerator: 1 } } };
  }
  return { instruction: Instruction.encode(instruction).finish(), tokens, states };
}

function behaviorOf(behavior: Behavior, url: string): object {
  switch (behavior) {
    case 'send_message':
      return { $case: 'sendMessage', value: {} };
    case 'push_notification':
      return { $case: 'pushNotification', value: { url } };
    case 'resubscribe':
      return { $case: 'resubscribe', value: {} };
  }
}
