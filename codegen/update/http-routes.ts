import { type DescMethod, getOption, type Registry } from '@bufbuild/protobuf';

/** One way in which an rpc is reached over HTTP. */
export interface HttpRoute {
  readonly path: string;
  /** `POST /tasks/{id=*}:cancel, body *`. */
  toString(): string;
}

interface RawRule {
  readonly pattern: { readonly case?: string; readonly value?: unknown };
  readonly body: string;
  readonly additionalBindings: readonly RawRule[];
}

/** The routes of an rpc as its proto has them, the first one first. */
export function httpRoutes(method: DescMethod, registry: Registry): HttpRoute[] {
  const http = registry.getExtension('google.api.http');
  if (!http) return [];
  const rule = getOption(method, http) as unknown as RawRule;
  const rules = rule.pattern.case === undefined ? [] : [rule, ...rule.additionalBindings];
  return rules.map(({ pattern, body }) => {
    const path = String(pattern.value);
    const text = `${pattern.case?.toUpperCase()} ${path}${body === '' ? '' : `, body ${body}`}`;
    return { path, toString: () => text };
  });
}
