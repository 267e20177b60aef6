import { isObject } from '../../core/model/json.ts';

/** Parameters may arrive in snake_case: the official Python SDK reads both. Only names of A2A are renamed. */

const camel: Readonly<Record<string, string>> = {
  message_id: 'messageId',
  context_id: 'contextId',
  task_id: 'taskId',
  reference_task_ids: 'referenceTaskIds',
  mime_type: 'mimeType',
  accepted_output_modes: 'acceptedOutputModes',
  history_length: 'historyLength',
  push_notification_config: 'pushNotificationConfig',
  push_notification_config_id: 'pushNotificationConfigId',
};

/** Members whose content belongs to the caller. */
const opaque = (name: string): boolean => name === 'metadata' || name === 'data';

/** Returns parameters with the names of A2A in camelCase; the same object if they had no others. */
export function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return list(value);
  return isObject(value) ? object(value) : value;
}

function list(items: readonly unknown[]): readonly unknown[] {
  let output: unknown[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (typeof item !== 'object') continue;
    const after = camelCased(item);
    if (after === item) continue;
    output ??= [...items];
    output[i] = after;
  }
  return output ?? items;
}

/** Visits every member once: deep nesting must not repeat the work at each level. */
function object(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let output: Record<string, unknown> | undefined;
  for (const name in value) {
    const item = value[name];
    const target = name.includes('_') && Object.hasOwn(camel, name) ? (camel[name] as string) : name;
    const after = typeof item !== 'object' || opaque(name) ? item : camelCased(item);
    if (output === undefined) {
      if (target === name && after === item) continue;
      output = membersBefore(value, name);
    }
    // A name in camelCase has priority over its alias.
    if (target === name || value[target] === undefined) output[target] = after;
  }
  return output ?? value;
}

function membersBefore(value: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  const output: Record<string, unknown> = {};
  for (const earlier in value) {
    if (earlier === name) break;
    output[earlier] = value[earlier];
  }
  return output;
}
