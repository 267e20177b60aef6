import { describe, expect, test } from 'vitest';
import { createDialects } from '../../src/dialects/kernel/registry.ts';

/** Codes that agents choose for errors of their own, in the range that JSON-RPC leaves to servers. */

const served = createDialects().list.flatMap(({ name, jsonrpc }) => (jsonrpc ? [{ name, error: jsonrpc.error }] : []));
const cx = { losses: new Set<string>() };
const own = { code: -32050, message: 'The oven is too hot' };

describe.each(served)("an error of $name with the agent's own code", ({ error }) => {
  test.each(served)('keeps the code and the message in $name', ({ error: other }) => {
    const read = error.decode(own, cx);
    expect(read.kind).toBe('agentError');
    expect(other.encode(read, cx)).toMatchObject(own);
  });

  test('is the same again when it comes back with details', () => {
    const sent = JSON.parse(JSON.stringify(error.encode(error.decode(own, cx), cx)));
    const read = error.decode(sent, cx);
    expect(error.encode(read, cx)).toEqual(error.encode(error.decode(own, cx), cx));
    expect(read.metadata).toEqual({ jsonrpcCode: '-32050' });
  });

  test('does not take over a code that means something here, or lies outside the range', () => {
    expect(error.decode({ code: -32001, message: '' }, cx).kind).toBe('taskNotFound');
    for (const code of [-31999, -32100, -5, 7]) expect(error.decode({ code, message: '' }, cx).kind).toBe('internal');
  });
});
