/**
 * `npm run frameworks`: runs the blocks of `docs/guides/frameworks.md`, section by section, each in a folder of its own
 * with the packages that it installs, against a real gateway. It needs the registries of npm, PyPI, Go and Maven. A
 * section whose language this machine lacks is skipped by name. `-- --only TEXT` runs the sections whose title has TEXT.
 */
import { parseArgs } from 'node:util';
import type { Block } from '../readme/blocks.ts';
import { faultOf } from '../readme/run-blocks.ts';
import { Workspace } from '../readme/workspace.ts';
import { peerRow } from '../support/peer-row.ts';
import { page, type Section, sectionsOf } from './page.ts';

peerRow({
  software: 'SDK for Python (`a2a-sdk`)',
  version: { installed: 'a2a-sdk', by: 'docs/guides/frameworks.md' },
  role: 'client and agent',
  speaks: 'A2A 1.0 and 0.3: JSON-RPC, HTTP+JSON, gRPC',
  does: 'lets clients of other generations call its agent, and its client call agents of other generations',
});
peerRow({
  software: 'SDK for Go (`a2a-go`)',
  version: { installed: 'github.com/a2aproject/a2a-go/v2', by: 'docs/guides/frameworks.md' },
  role: 'client and agent',
  speaks: 'A2A 1.0: JSON-RPC, HTTP+JSON, gRPC',
  does: 'lets clients of other generations call its agent, and its client call agents of other generations',
});
peerRow({
  software: 'SDK for Java (`a2a-java`)',
  version: { installed: 'a2a-java-sdk-client', by: 'docs/guides/frameworks.md' },
  role: 'client and agent',
  speaks: 'A2A 0.3: JSON-RPC, HTTP+JSON, gRPC',
  does: 'lets clients of other generations call its agent, and its client call agents of other generations',
});
peerRow({
  software: 'Google ADK',
  version: { installed: 'google-adk', by: 'docs/guides/frameworks.md' },
  role: 'client and agent',
  speaks: 'A2A 1.0 and 0.3: JSON-RPC',
  does: 'lets clients of other generations call its agent, and its client call agents of other generations',
});
peerRow({
  software: 'pydantic-ai',
  version: { installed: 'pydantic-ai-slim', by: 'docs/guides/frameworks.md' },
  role: 'client and agent',
  speaks: 'A2A 1.0: JSON-RPC; MCP as a client',
  does: 'lets clients of other generations call its agent, and its client call agents of other generations',
});
peerRow({
  software: 'Strands Agents',
  version: { installed: 'strands-agents', by: 'docs/guides/frameworks.md' },
  role: 'client and agent',
  speaks: 'A2A 0.3: JSON-RPC',
  does: 'lets clients of other generations call its agent, and its client call agents of other generations',
});
peerRow({
  software: 'CrewAI',
  version: { installed: 'crewai', by: 'docs/guides/frameworks.md' },
  role: 'client and agent',
  speaks: 'A2A 0.3: JSON-RPC',
  does: 'lets clients of other generations call its agent, and its client call agents of other generations',
});
peerRow({
  software: 'BeeAI Framework',
  version: { installed: 'beeai-framework', by: 'docs/guides/frameworks.md' },
  role: 'client and agent',
  speaks: 'A2A 0.3: JSON-RPC, HTTP+JSON, gRPC',
  does: 'lets clients of other generations call its agent, and its client call agents of other generations',
});
peerRow({
  software: 'Microsoft Agent Framework',
  version: { installed: 'agent-framework-a2a', by: 'docs/guides/frameworks.md' },
  role: 'client and agent',
  speaks: 'A2A 1.0: JSON-RPC',
  does: 'lets clients of other generations call its agent, and its client call agents of other generations',
});
peerRow({
  software: 'AgentVault (`agentvault`)',
  version: { installed: 'agentvault', by: 'docs/guides/frameworks.md' },
  role: 'client and agent',
  speaks: 'AgentVault 0.2: JSON-RPC',
  does: 'lets clients of other generations call its agent, and its client call agents of other generations',
});
peerRow({
  software: 'FastMCP',
  version: { installed: 'fastmcp', by: 'docs/guides/frameworks.md' },
  role: 'tool server',
  speaks: 'MCP: streamable HTTP',
  does: 'offers its tools to A2A clients as skills',
});

/** Milliseconds for one block; the largest installation takes the longest. */
const timeoutMs = 900_000;

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });

/** Callers of other versions and bindings, which the page promises to work with every agent. */
const otherCallers: readonly string[] = [
  'http://localhost:8080 --as a2a-1.0 --via grpc Ada',
  'http://localhost:8080 --as a2a-0.3 --via rest Ada',
  'http://localhost:8080/as/a2a-0.1 --stream Ada',
];

const seconds = (start: number): string => ((performance.now() - start) / 1_000).toFixed(1);

/** Blocks that call the agent of a section as other clients do; over gRPC only if its cards list it. */
const calls = (section: Section): Block[] =>
  section.markdown.includes('kind: upstream')
    ? otherCallers
        .filter((words) => !(words.includes('grpc') && section.markdown.includes('interfaces:')))
        .map((words) => ({
          language: 'sh',
          words: [],
          text: `npx a2a-gateway send ${words}\n`,
          line: 0,
          directives: new Map([['shows', 'Hello, Ada!']]),
          file: undefined,
        }))
    : [];

/** Runs one section; what went wrong, or undefined. */
async function run(section: Section): Promise<string | undefined> {
  const blocks = [...section.blocks, ...calls(section)];
  const workspace = await Workspace.open(blocks, { installs: true });
  try {
    const obstacle = blocks.map((block) => workspace.obstacle(block)).find((reason) => reason !== undefined);
    if (obstacle !== undefined) {
      console.log(`  skipped ${obstacle}`);
      return undefined;
    }
    for (const block of blocks) {
      if (block.file !== undefined) workspace.write(block);
      else if (!block.words.includes('no-run')) {
        const start = performance.now();
        const fault = await faultOf(workspace, block, AbortSignal.timeout(timeoutMs));
        const what = `line ${block.line}: ${block.text.split('\n')[0]} (${seconds(start)} s)`;
        console.log(`  ${fault === undefined ? 'ok     ' : 'FAILED '} ${what}`);
        if (fault !== undefined) return fault;
      }
    }
    return undefined;
  } finally {
    await workspace.close();
  }
}

const chosen = sectionsOf(page).filter(({ title }) => title.toLowerCase().includes(values.only.toLowerCase()));
if (chosen.length === 0) throw new Error(`no section's title has "${values.only}"`);
for (const section of chosen) {
  console.log(`\n${section.title}`);
  const fault = await run(section);
  if (fault === undefined) continue;
  console.log(fault);
  process.exitCode = 1;
}
