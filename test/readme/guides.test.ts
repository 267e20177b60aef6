import { testPages } from './run-blocks.ts';

/** Guides whose readers have installed the package. */
const pages = [
  'docs/guides/agents.md',
  'docs/guides/authentication.md',
  'docs/guides/bridge.md',
  'docs/guides/follow-the-specification.md',
  'docs/guides/guards.md',
  'docs/guides/embed.md',
  'docs/guides/knowledge.md',
  'docs/guides/mcp.md',
];
testPages(pages, { installed: true });
