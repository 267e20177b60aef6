import * as z from 'zod';
import { isWebUrl } from '../addresses.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, flag, oneOf, section, textThat } from '../schema-parts.ts';

const expectedTraces = 'an http or https URL with {traceId}, such as https://traces.example.com/trace/{traceId}';

const settings = section('console', () => ({
  traces: textThat(
    expectedTraces,
    (value) => value.includes('{traceId}') && isWebUrl(value.replaceAll('{traceId}', '0')),
  )
    .optional()
    .describe("URL of a trace's page, with `{traceId}` in the id's place. Default: traces are not linked."),
  content: flag
    .prefault(true)
    .describe(
      'Whether lists of tasks show what was asked and why a task ended or waits. With false neither is stored for them.',
    ),
}));

const pageNames = ['/healthz', '/readyz', '/agents', '/metrics', '/openapi.json'] as const;

/** `pages`: whether the gateway serves its pages about itself, or which ones. */
export const ownPages = z
  .union([flag, z.array(oneOf(...pageNames))], anything(`true, false or a list of ${pageNames.join(', ')}`))
  .register(schemaFacts, { output: 'PagesConfig' })
  .prefault(true)
  .describe(
    'Whether the gateway serves its own pages: `/healthz`, `/readyz`, `/agents`, `/metrics` and `/openapi.json`. A list names those that it serves. With false they are left to the app that the gateway is part of. Attached to the server of an app, the gateway serves of them only those that are named, and `/agents`.',
  );

/** `console`: whether and how the gateway serves the console. */
export const consolePages = z
  .union([flag, settings], anything('true, false or a mapping with traces and content'))
  .register(schemaFacts, { output: 'ConsoleConfig' })
  .optional()
  .describe('Whether the gateway serves the console at `/console/`, or settings of the console. Default: as `pages`.');
