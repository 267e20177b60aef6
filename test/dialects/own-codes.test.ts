import { describe, expect, test } from 'vitest';
import { createDialects } from '../../src/dialects/registry.ts';

/** Errors of agents with codes and data of their own. */

const served = createDialects().list.flatMap(({ name, jsonrpc }) => (jsonrpc ? [{ name, error: jsonrpc.error }] : []));
const cx = { losses: new Set<string>() };

describe.each([-32050, -32100, -31999, -5, 7, 1001])("an error with the agent's own code %i", (code) => {
  const own = { code, message: 'The oven is too hot' };

  describe.each(served)('in $name', ({ name, error }) => {
    test.each(served)(
      `an error with the agent's own code ${code} in ${name} keeps the code and the message in $name`,
      ({ error: other }) => {
        const read = error.decode(own, cx);
        expect(read.kind).toBe('agentError');
        expect(other.encode(read, cx)).toMatchObject(own);
      },
    );

    test(`an error with the agent's own code ${code} in ${name} is the same again when it comes back with details`, () => {
      const sent = JSON.parse(JSON.stringify(error.encode(error.decode(own, cx), cx)));
      const read = error.decode(sent, cx);
      expect(error.encode(read, cx)).toEqual(error.encode(error.decode(own, cx), cx));
      expect(read.metadata).toEqual({ jsonrpcCode: String(code) });
    });
  });
});

describe.each(served)('an error of $name', ({ name, error }) => {
  test(`an error of ${name} does not keep a code that means something here`, () => {
    expect(error.decode({ code: -32001, message: '' }, cx).kind).toBe('taskNotFound');
    expect(error.decode({ code: -32603, message: '' }, cx).kind).toBe('internal');
  });

  test(`an error of ${name} may have its code as a text, or none, or be a text alone`, () => {
    expect(error.decode({ code: '-32001', message: 'gone' }, cx)).toMatchObject({
      kind: 'taskNotFound',
      message: 'gone',
    });
    for (const wire of [{ code: 'E_HOT', message: 'too hot' }, { message: 'too hot' }, 'too hot']) {
      expect(error.decode(wire, cx)).toMatchObject({ kind: 'agentError', message: 'too hot' });
    }
    for (const wire of [true, {}, [], { code: null, message: 5 }]) {
      expect(error.decode(wire, cx)).toMatchObject({
        kind: 'invalidAgentResponse',
        message: `The agent answered with an error that is not a JSON-RPC error: ${JSON.stringify(wire)}`,
      });
    }
  });

  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2.500s' };
  const help = { '@type': 'type.googleapis.com/google.rpc.Help', links: [{ url: 'https://example.com/hot' }] };

  test(`an error of ${name} carries the details of its data, and reads when to try again`, () => {
    for (const data of [[retry, help], { details: [retry, help] }]) {
      const read = error.decode({ code: -32603, message: 'hot', data }, cx);
      expect(read.extraDetails).toEqual([retry, help]);
      expect(read.retryAfter).toBe(2.5);
      const again = error.decode(JSON.parse(JSON.stringify(error.encode(read, cx))), cx);
      expect(again.extraDetails).toEqual([retry, help]);
    }
  });

  test(`an error of ${name} carries data of any form as one detail`, () => {
    const type = 'type.googleapis.com/google.protobuf.';
    for (const [data, as] of [
      [{ oven: 3 }, 'Struct'],
      ['oven 3', 'Value'],
      [3, 'Value'],
      [['a', 'b'], 'Value'],
    ] as const) {
      const read = error.decode({ code: -32603, message: 'hot', data }, cx);
      expect(read.extraDetails).toEqual([{ '@type': `${type}${as}`, value: data }]);
    }
    for (const data of [null, undefined, {}, []]) {
      expect(error.decode({ code: -32603, message: 'hot', data }, cx).extraDetails).toEqual([]);
    }
  });

  test(`an error of ${name} carries no stack traces, and no more than a few kilobytes`, () => {
    const debug = { '@type': 'type.googleapis.com/google.rpc.DebugInfo', stackEntries: ['at /srv/agent.py:7'] };
    const large = { ...help, links: [{ url: 'x'.repeat(9_000) }] };
    const read = error.decode({ code: -32603, message: 'hot', data: [debug, retry, large] }, cx);
    expect(read.extraDetails).toEqual([retry]);
  });
});
