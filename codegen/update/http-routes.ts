import { type DescMethod, getOption, type Registry } from '@bufbuild/protobuf';

/** An HTTP route of an rpc. */
export interface HttpRoute {
  readonly path: string;
  /** Formats the route, such as `POST /tasks/{id=*}:cancel, body *`. */
  toString(): string;
}

interface RawRule {
  readonly pattern: { readonly case?: string; readonly value?: unknown };
  readonly body: string;
  readonly additionalBindings: readonly RawRule[];
}

/** Returns the routes of an rpc in the order of its proto. */
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
