import { beforeAll, expect, it } from 'vitest';
import { installTools } from '../../../scripts/tools.ts';
import { peerRow } from '../../support/peer-row.ts';
import { readKnown } from './known-failures.ts';
import { runScenarios } from './run.ts';

peerRow({
  software: 'conformance kit of MCP',
  version: { npm: '@modelcontextprotocol/conformance', in: 'tools/tests' },
  role: 'suite',
  speaks: 'MCP 2025-11-25 and older, 2026-07-28',
  does: 'passes its scenarios as server and as client, but for the listed ones',
});

/** The official conformance kit of MCP. */

beforeAll(() => installTools('tests'), 600_000);

it('every scenario that applies passes as server and as client, but for the checks that are listed', async () => {
  const results = await runScenarios();
  expect(results.size).toBeGreaterThan(50);
  expect(readKnown().compare(results)).toEqual({ unexpected: [], outdated: [] });
}, 900_000);
