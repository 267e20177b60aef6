import { isMap, NotUnderstood, type Value } from './values.ts';

/** The abstract operations of ACTS (section 4.1) as those of A2A 1.0. */

/** An operation of A2A with the parameters of a step in the form that the operation has. */
export interface Operation {
  /** The name in the proto. `GET` stands for the public card, which is no operation. */
  readonly rpc: string;
  readonly params: Value;
  readonly isStream: boolean;
}

type Form = readonly [rpc: string, paramsOf?: (params: Record<string, Value>) => Value];

/** The public card, which is fetched and not called. */
export const publicCard = 'GET';

/** Test files name the task and context next to the message; A2A 1.0 has them in the message. */
function sendParams({ taskId, contextId, message, ...rest }: Record<string, Value>): Value {
  if (!isMap(message)) throw new NotUnderstood('send_message without a message');
  const ids = { ...(taskId !== undefined && { taskId }), ...(contextId !== undefined && { contextId }) };
  // Section 4.3: the runner makes the id that every message has.
  return { ...rest, message: { messageId: crypto.randomUUID(), ...ids, ...message } };
}

/** In A2A 1.0 the members of a configuration stand beside the id of the task. */
const configParams = ({ pushNotificationConfig, ...rest }: Record<string, Value>): Value => ({
  ...rest,
  ...(isMap(pushNotificationConfig) ? pushNotificationConfig : {}),
});

const create: Form = ['CreateTaskPushNotificationConfig', configParams];
const get: Form = ['GetTaskPushNotificationConfig'];
const list: Form = ['ListTaskPushNotificationConfigs'];
const remove: Form = ['DeleteTaskPushNotificationConfig'];

const forms = new Map<Value, Form>([
  ['send_message', ['SendMessage', sendParams]],
  ['send_streaming_message', ['SendStreamingMessage', sendParams]],
  ['get_task', ['GetTask']],
  ['list_tasks', ['ListTasks']],
  ['cancel_task', ['CancelTask']],
  ['subscribe_to_task', ['SubscribeToTask']],
  ['get_agent_card', [publicCard]],
  ['get_extended_agent_card', ['GetExtendedAgentCard']],
  ['create_push_config', create],
  ['set_push_notification_config', create],
  ['get_push_config', get],
  ['get_push_notification_config', get],
  ['list_push_configs', list],
  ['list_push_notification_configs', list],
  ['delete_push_config', remove],
  ['delete_push_notification_config', remove],
]);

/** @throws NotUnderstood for an operation that the runner does not know */
export function operationOf(name: Value, params: Value = {}): Operation {
  const form = forms.get(name);
  if (form === undefined) throw new NotUnderstood(`the operation ${name}`);
  if (!isMap(params)) throw new NotUnderstood(`the parameters of ${name} are no map`);
  const [rpc, paramsOf] = form;
  if (rpc === publicCard && params.extended === true) return operationOf('get_extended_agent_card');
  return {
    rpc,
    params: paramsOf ? paramsOf(params) : params,
    isStream: rpc === 'SendStreamingMessage' || rpc === 'SubscribeToTask',
  };
}
