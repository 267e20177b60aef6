import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { A2AError } from '../../../../src/core/model/errors.ts';
import { ToolFailure } from '../../../../src/extensions/mcp/client/failures.ts';
import { failureFrom } from '../../../../src/extensions/mcp/client/session/responses.ts';

/** What callers are told of what was thrown on the way to a server (AgentVault's proxy: the table of sources and codes). */

it.each([
  [new A2AError('upstreamTimeout', 'late'), 'A2A_PROXY', 'MCP_TIMEOUT', 'late'],
  [new A2AError('upstreamUnreachable', 'refused'), 'A2A_PROXY', 'MCP_CONNECTION_ERROR', 'refused'],
  [new A2AError('invalidAgentResponse', 'nonsense'), 'A2A_PROXY', 'MCP_INVALID_RESPONSE', 'nonsense'],
  [new TypeError('a secret of ours'), 'A2A_PROXY', 'PROXY_INTERNAL_ERROR', 'The gateway failed to make the call'],
  [new McpError(-32050, 'no'), 'MCP_PROTOCOL', '-32050', 'no'],
  [new McpError(ErrorCode.ConnectionClosed, 'busy'), 'MCP_PROTOCOL', '-32000', 'busy'],
  [new SyntaxError('Unexpected token'), 'A2A_PROXY', 'MCP_INVALID_RESPONSE', 'The server did not answer with JSON'],
])('%s', (thrown, source, code, message) => {
  expect(failureFrom(thrown).output).toEqual({ source, code, message });
});

it('what went wrong inside is kept for the log alone', () => {
  const thrown = new TypeError('a secret of ours');
  const failure = ToolFailure.from(thrown);
  expect(failure.cause).toBe(thrown);
  expect(JSON.stringify(failure.output)).not.toContain('secret');
});

it("a tool's details that cannot be handled are left out, and words without end are cut", () => {
  const details = JSON.parse('{"__proto__":{"a":1}}');
  const { output } = new ToolFailure('toolError', 'x'.repeat(100_000), { details });
  expect(output).toEqual({ source: 'MCP_TOOL', code: 'TOOL_EXECUTION_FAILED', message: `${'x'.repeat(2_000)}…` });
});
