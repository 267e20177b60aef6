import { expect, test } from 'vitest';
import { createDialects } from '../../src/dialects/registry.ts';
import { api } from '../../src/gen/a2a-v1/index.ts';
test('smoke', () => {
  const av = createDialects(api).byName.get('agentvault-0.2');
  expect(av?.jsonrpc?.calls.get('SendStreamingMessage')?.next?.name).toBe('tasks/sendSubscribe');
});
