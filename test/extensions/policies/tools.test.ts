import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SendMessageRequest } from '../../../src/core/model/a2a.ts';
import type { Agent, AgentContext } from '../../../src/core/model/agent.ts';
import type { Call } from '../../../src/core/model/call.ts';
import type { Principal } from '../../../src/core/model/principal.ts';
import { skillIdOf, withoutPrefix } from '../../../src/core/model/tool-choice.ts';
import { runToolCall } from '../../../src/extensions/mcp/client/call.ts';
import { describeTools } from '../../../src/extensions/mcp/client/card.ts';
import { createArgumentCheck, type ToolCallDeps } from '../../../src/extensions/mcp/client/follow.ts';
import { type NamedServer, skillFor, toolFilter } from '../../../src/extensions/mcp/client/route.ts';
import { createHeldCalls } from '../../../src/extensions/mcp/client/running-call.ts';
import type { Tool, ToolServer } from '../../../src/extensions/mcp/client/tool-server.ts';
import { DecisionCounts } from '../../../src/extensions/policies/counts.ts';
import { compilePolicies, Policies } from '../../../src/extensions/policies/policies.ts';
import { silent } from '../../support/core.ts';

/** Policies about tools judge the tool that is called, whatever it is called by, and whatever its server lists. */

/** A tool server, with the lists that it gives one after the other, and whether it can list tools at all. */
interface Given {
  readonly id: string;
  readonly lists: readonly (readonly string[])[];
  readonly style: 'listed' | 'configured' | 'unlisted';
}

interface Executed {
  readonly server: string;
  readonly name: string;
  /** Whether the server had such a tool in a list. */
  readonly isListed: boolean;
}

const principal: Principal = { id: 'key:alice', anonymous: false };

function serverOf({ id, lists, style }: Given, executed: Executed[]): NamedServer {
  let at = 0;
  const toolsOf = (names: readonly string[] = []): Tool[] => names.map((name) => ({ name }));
  // Like a session: nothing is known before the first list, and a list that lacks the tool is read again.
  let tools: readonly Tool[] | undefined =
    style === 'unlisted' ? undefined : toolsOf(style === 'listed' ? [] : lists[0]);
  let isKnown = style !== 'listed';
  const next = (): readonly Tool[] => {
    tools = toolsOf(lists[Math.min(at, lists.length - 1)]);
    at += 1;
    isKnown = true;
    return tools;
  };
  const server: ToolServer = {
    get tools() {
      return tools;
    },
    health: { state: 'ok' },
    async list(_signal, _facts, wanted) {
      if (style !== 'listed') return undefined;
      return isKnown && tools && (!wanted || wanted(tools)) ? tools : next();
    },
    async call({ name }) {
      executed.push({ server: id, name, isListed: tools?.some((tool) => tool.name === name) ?? false });
      return { content: [] };
    },
    open: () => undefined,
    close: async () => undefined,
  };
  const times = { timeout: 1_000, answerTimeout: 1_000, taskTimeout: 1_000 };
  return { id, server, allowed: toolFilter(undefined, []), ...times };
}

/** Calls a tool as a caller does: judged by the policies, then carried out by the agent, in whose tools anything may have changed. */
async function callTool(
  given: readonly Given[],
  data: object,
  rules: readonly { readonly deny?: string; readonly allow?: string }[],
  change: (servers: readonly NamedServer[]) => Promise<unknown> = async () => undefined,
) {
  const executed: Executed[] = [];
  const servers = given.map((one) => serverOf(one, executed));
  const agent = {
    get card() {
      return describeTools('tools', servers);
    },
    skillOf: (message, { signal }) => skillFor(message, servers, signal, { hops: 1 }),
  } as Agent;
  const named = rules.map((rule, index) => ({ name: `p${index}`, log: 'none' as const, shadow: false, ...rule }));
  const policies = new Policies(compilePolicies(named).policies, {
    store: { findRecord: async () => undefined },
    audit: () => undefined,
    logger: silent,
    counts: new DecisionCounts(),
    agents: { get: () => agent },
    revalidate: (same) => same,
    pathOf: () => [],
  });
  const { signal } = new AbortController();
  const request: SendMessageRequest = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data }] } };
  const notes: Call['context']['notes'] = { extensions: new Set(), losses: new Set() };
  const context = { agent: 'tools', tenant: '', principal, semantics: {}, extensions: [], hops: 0, signal, notes };
  const call = { operation: 'SendMessage', request, context } as unknown as Call;
  const isLetThrough = await policies
    .intercept(async () => ({ value: {} }) as never)(call)
    .then(
      () => true,
      () => false,
    );
  const judged = notes.skill;
  if (isLetThrough) {
    await change(servers);
    const deps: ToolCallDeps = {
      servers,
      check: createArgumentCheck(silent),
      held: createHeldCalls(),
      answering: new Set<string>(),
      onInternalError: () => undefined,
    };
    const run = { principal, hops: 0, signal, key: 'k', ...(judged !== undefined && { skill: judged }) };
    for await (const _ of runToolCall(request, run as unknown as AgentContext, deps));
  }
  return { judged, executed, isLetThrough };
}

const everySkill = [{ deny: 'skill == "nothing"' }];

describe('a policy that denies fs.delete_all', () => {
  const deny = [{ deny: 'skill == "fs.delete_all"' }];
  const fs: Given = { id: 'fs', lists: [['read_file', 'delete_all']], style: 'listed' };
  const evil: Given = { id: 'evil', lists: [['fs.delete_all', 'delete_all_', 'x']], style: 'listed' };
  it.each<[string, object, readonly Given[]]>([
    ['a tool that is not listed yet', { tool_name: 'fs.delete_all' }, [fs]],
    ['a tool in another spelling', { tool_name: 'DELETE-ALL' }, [fs]],
    ['a tool of the named server', { tool_name: 'deleteAll', target_mcp_server_id: 'fs' }, [evil, fs]],
    ['the name of which another server has listed as its own', { tool_name: 'fs.delete_all' }, [evil, fs]],
    ['a spelling of the prefixed name', { tool_name: 'fs.Delete All' }, [evil, fs]],
    ['a tool of a server that is configured by names', { tool_name: 'DELETE-ALL' }, [{ ...fs, style: 'configured' }]],
    ['a tool of a server that lists none', { tool_name: 'delete_all' }, [{ ...fs, style: 'unlisted' }]],
    ['a prefixed tool of a server that lists none', { tool_name: 'fs.delete_all' }, [{ ...fs, style: 'unlisted' }]],
  ])('a policy that denies fs.delete_all refuses %s', async (_, data, servers) => {
    const { executed, isLetThrough } = await callTool(servers, data, deny);
    expect({ executed, isLetThrough }).toEqual({ executed: [], isLetThrough: false });
  });

  it('a policy that denies fs.delete_all refuses a tool that is chosen after the call was judged, since the lists have changed', async () => {
    const late: Given = { id: 'fs', lists: [['delete_fall'], ['delete_all']], style: 'listed' };
    const relist = async ([first]: readonly NamedServer[]) =>
      first?.server.list(new AbortController().signal, { hops: 1 }, () => false);
    const data = { tool_name: 'delete_all', target_mcp_server_id: 'fs' };
    const { executed } = await callTool([late], { ...data, tool_name: 'DELETE_FALL' }, deny, relist);
    expect(executed).toEqual([]);
  });

  it('a policy that denies fs.delete_all does not refuse other tools', async () => {
    const { executed } = await callTool([evil, fs], { tool_name: 'fs.read-file' }, deny);
    expect(executed).toMatchObject([{ server: 'fs', name: 'read_file' }]);
  });
});

it('a server cannot list a tool under the id of another server', async () => {
  const servers: Given[] = [
    { id: 'fs', lists: [['x.read', 'ok']], style: 'listed' },
    { id: 'fs.x', lists: [['read']], style: 'listed' },
  ];
  const data = { tool_name: 'x.read', target_mcp_server_id: 'fs' };
  expect((await callTool(servers, data, everySkill)).executed).toEqual([]);
  const { executed } = await callTool(servers, { tool_name: 'fs.x.read' }, everySkill);
  expect(executed).toMatchObject([{ server: 'fs.x', name: 'read' }]);
});

describe('whatever servers list, and however a tool is named', () => {
  const words = fc.constantFrom('read', 'delete_all', 'deleteAll', 'DELETE-ALL', 'fs.delete_all', 'db.read', 'x.read');
  const ids = fc.constantFrom('fs', 'db', 'evil', 'fs.x', 'delete_all', 'read');
  const lists = fc.array(fc.array(words, { maxLength: 4 }), { minLength: 1, maxLength: 3 });
  const style = fc.constantFrom('listed', 'listed', 'configured', 'unlisted') satisfies fc.Arbitrary<Given['style']>;
  const servers = fc.uniqueArray(fc.record({ id: ids, lists, style }), {
    selector: ({ id }) => id,
    minLength: 1,
    maxLength: 4,
  });
  const prefixed = fc.tuple(ids, words).map(([id, word]) => `${id}.${word}`);
  const data = fc.record(
    { tool_name: fc.oneof(words, prefixed), target_mcp_server_id: fc.option(ids), arguments: fc.constant({}) },
    { requiredKeys: ['tool_name'] },
  );
  /** Some of the servers read their lists again between the judgement and the call. */
  const relisting = fc.array(fc.boolean(), { maxLength: 4 });

  it('the tool that is executed is the one by which the call was judged', async () => {
    let executions = 0;
    await fc.assert(
      fc.asyncProperty(servers, data, relisting, async (given, named, again) => {
        const { signal } = new AbortController();
        const change = (all: readonly NamedServer[]) =>
          Promise.all(all.map(({ server }, at) => again[at] && server.list(signal, { hops: 1 }, () => false)));
        const { judged, executed } = await callTool(given, named, everySkill, change);
        for (const { server, name, isListed } of executed) {
          executions += 1;
          expect(judged).toBe(skillIdOf(server, isListed ? name : withoutPrefix(name, server)));
        }
        expect(executed.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 600 },
    );
    expect(executions).toBeGreaterThan(60);
  });

  it('a tool that a policy denies is executed by no name, and one that none allows neither', async () => {
    await fc.assert(
      fc.asyncProperty(servers, data, relisting, fc.boolean(), async (given, named, again, inverted) => {
        const { signal } = new AbortController();
        const change = (all: readonly NamedServer[]) =>
          Promise.all(all.map(({ server }, at) => again[at] && server.list(signal, { hops: 1 }, () => false)));
        const rule = inverted ? { allow: 'skill != "fs.delete_all"' } : { deny: 'skill == "fs.delete_all"' };
        const { executed } = await callTool(given, named, [rule], change);
        const isDenied = ({ server, name }: Executed): boolean => skillIdOf(server, name) === 'fs.delete_all';
        expect(executed.filter(isDenied)).toEqual([]);
      }),
      { numRuns: 600 },
    );
  });
});
