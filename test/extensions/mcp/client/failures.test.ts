import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { A2AError } from '../../../../src/core/model/errors.ts';
import { ToolFailure } from '../../../../src/extensions/mcp/client/failures.ts';
import { failureFrom } from '../../../../src/extensions/mcp/client/session/responses.ts';

/** Errors that callers get for failures on the way to a server (AgentVault's proxy: the table of sources and codes). */

const live = { timeout: 7, ending: undefined, isLive: true };

it.each([
  [new A2AError('upstreamTimeout', 'late'), 'A2A_PROXY', 'MCP_TIMEOUT', 'late'],
  [new A2AError('upstreamUnreachable', 'refused'), 'A2A_PROXY', 'MCP_CONNECTION_ERROR', 'refused'],
  [new A2AError('invalidAgentResponse', 'nonsense'), 'A2A_PROXY', 'MCP_INVALID_RESPONSE', 'nonsense'],
  [new TypeError('a secret of ours'), 'A2A_PROXY', 'PROXY_INTERNAL_ERROR', 'The gateway failed to make the call'],
  [new ProtocolError(-32050, 'no'), 'MCP_PROTOCOL', '-32050', 'no'],
  [new ProtocolError(-32000, 'busy'), 'MCP_PROTOCOL', '-32000', 'busy'],
  [new SdkError(SdkErrorCode.RequestTimeout, 'x'), 'A2A_PROXY', 'MCP_TIMEOUT', 'The server did not answer within 7 ms'],
  [new SdkError(SdkErrorCode.UnsupportedResultType, 'x'), 'A2A_PROXY', 'MCP_INVALID_RESULT', 'x'],
  [new SyntaxError('Unexpected token'), 'A2A_PROXY', 'MCP_INVALID_RESPONSE', 'The server did not answer with JSON'],
])('the failure of a tool says why: %s', (thrown, source, code, message) => {
  expect(failureFrom(thrown, live).output).toEqual({ source, code, message });
});

it("the server's own words are in the failure of a refused request", () => {
  const error = { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2026-07-28'] } };
  const text = JSON.stringify({ jsonrpc: '2.0', id: null, error });
  const refused = new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'x', { status: 400, text });
  expect(failureFrom(refused, live).output).toEqual({
    source: 'A2A_PROXY',
    code: 'MCP_SESSION_LOST',
    message: 'The server answered with HTTP status 400: Unsupported protocol version',
    details: { http_status: 400, mcp_protocol_error: error },
  });
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
