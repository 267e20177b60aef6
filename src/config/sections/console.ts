import * as z from 'zod';
import { isWebUrl } from '../addresses.ts';
import { anything, flag, oneOf, section, textThat } from '../schema-parts.ts';

const expectedTraces = 'an http or https URL with {traceId}, such as https://traces.example.com/trace/{traceId}';

const settings = section('console', {
  /** Where the viewer of traces shows one. */
  traces: textThat(
    expectedTraces,
    (value) => value.includes('{traceId}') && isWebUrl(value.replaceAll('{traceId}', '0')),
  ).optional(),
});

const pageNames = ['/healthz', '/readyz', '/agents', '/metrics', '/openapi.json'] as const;

/** All of the gateway's pages about itself, none, or these. */
export type PagesConfig = boolean | (typeof pageNames)[number][];

/** `pages`: whether the gateway serves its pages about itself, or which ones. */
export const ownPages = z
  .union([flag, z.array(oneOf(...pageNames))], anything(`true, false or a list of ${pageNames.join(', ')}`))
  .default(true);

/** `console`: whether and how the gateway serves the console. */
export const consolePages = z.union([flag, settings], anything('true, false or a mapping with traces')).optional();

/** How the console is served. */
export interface ConsoleConfig {
  /** URL of a trace's page, with `{traceId}` in the id's place. */
  readonly traces: string | undefined;
}

/**
 * Undefined: the gateway serves no console.
 *
 * @param pages whether the gateway serves its other pages, which decides where nothing is said
 */
export function resolveConsole(input: z.output<typeof consolePages>, pages: PagesConfig): ConsoleConfig | undefined {
  const wanted = input ?? pages !== false;
  if (wanted === false) return undefined;
  return { traces: wanted === true ? undefined : wanted.traces };
}
