import type { ErrorKind } from '../../../core/model/errors.ts';

/** Advice about an error. */
export const hints: Readonly<Partial<Record<ErrorKind, string>>> = {
  parse: 'The body is not valid JSON. Correct the frame, or make it from the form again.',
  invalidRequest: 'The request does not have the form that this binding needs.',
  methodNotFound: 'The dialect of this path has no such method. Choose another dialect or method.',
  routeNotFound: 'There is no such path. Make the frame from the form again.',
  verbNotAllowed: 'The path exists, but not for this HTTP method.',
  invalidParams: 'Correct the fields below.',
  taskNotFound: 'The task does not exist, has expired, or belongs to another caller.',
  taskNotCancelable: 'The task has ended.',
  unsupportedOperation: 'The agent, or the state of the task, does not allow this operation.',
  contentTypeNotSupported: 'Send another media type: see the modes on the card of the agent.',
  versionNotSupported: 'Send a version that is served in A2A-Version, or leave the header away.',
  extensionSupportRequired: 'Add the header A2A-Extensions with the URI of the extension.',
  unauthenticated: 'Sign in with a key or token of this gateway.',
  permissionDenied:
    'The message says why: a credential that lacks the scope or the agent needs another one, a policy or a guard another call.',
  agentNotFound: 'No agent has this name, or the caller may not see it.',
  tooManyRequests: 'The caller is over its limit. Wait, and send again.',
  unavailable: 'The gateway or the agent takes no such calls now. Try again later.',
  upstreamUnreachable: 'The gateway cannot reach the agent. See the agent on the Agents page.',
  upstreamTimeout: 'The agent did not answer in time.',
  payloadTooLarge: 'The request is larger than limits.body, or does not fit into limits.task.',
  answerTooLarge: 'Subscribe to the task with Last-Event-ID: 0 to read its events one by one.',
  pushNotificationNotSupported: 'The agent takes no push configurations.',
  knowledgeNotSupported: 'Choose an agent with a knowledge graph.',
  internal: 'The log of the gateway has the cause, under the request id.',
};
