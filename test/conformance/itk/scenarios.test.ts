import { expect, it } from 'vitest';
import { type Scenario, scenarios, traversalOf } from './scenarios.ts';

/** The instructions as JSON in place of protobuf, for which the kit has the code. */
const json = { encode: (instruction: object) => ({ finish: () => Buffer.from(JSON.stringify(instruction)) }) };

const traversal = (name: string) => {
  const scenario = scenarios.find((each) => each.name === name) as Scenario;
  const { instruction, ...rest } = traversalOf(scenario, json, (agent) => `http://${agent}`, 'http://webhook');
  return { ...rest, instruction: JSON.parse(Buffer.from(instruction).toString()) };
};

it('a scenario of a2a-itk has a name of its own, for each agent to begin, over each binding', () => {
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(24);
});

it('a scenario of a2a-itk demands the text of every agent on the way, and of the last one', () => {
  expect(traversal('ts_v10-send_message-grpc').tokens).toEqual([
    'traversal-completed:grpc',
    '[ts_v03 -> ts_v10 (grpc)]',
    '[ts_v10 -> ts_v03 (grpc)]',
  ]);
});

it('a scenario of a2a-itk lets each agent call the next one, and hold its task where it is to be subscribed to again', () => {
  const [trace, call] = traversal('ts_v10-resubscribe-jsonrpc').instruction.step.value.instructions;
  expect(trace.step.value).toEqual({ response: '[ts_v10 -> ts_v03 (jsonrpc)]', holdTask: true });
  expect(call.step.value).toMatchObject({
    agentCardUri: 'http://ts_v03',
    transport: 'jsonrpc',
    streaming: true,
    behavior: { $case: 'resubscribe' },
  });
});

it('a scenario of a2a-itk demands a notification of each agent with its answer', () => {
  expect(traversal('ts_v03-push_notification-http_json').states).toEqual([
    'traversal-completed:http_json',
    '[ts_v10 -> ts_v03 (http_json)]\ntraversal-completed:http_json',
    '[ts_v03 -> ts_v10 (http_json)]\n[ts_v10 -> ts_v03 (http_json)]\ntraversal-completed:http_json',
  ]);
});
