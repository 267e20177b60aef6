export type * from '../core/model/a2a.ts';
// A2A and the admin service both have types of these three names.
export type { Empty, Struct } from '../core/model/a2a.ts';
export type { CallContext, Invoke, LoggedEvent } from '../core/model/call.ts';
export { A2AError, type ErrorKind } from '../core/model/errors.ts';
export type { DialectName } from '../dialects/kernel/dialect.ts';
export type * from '../gen/admin-v1/types.ts';
export type { MessageTypes } from '../gen/admin-v1/types.ts';
export type {
  KGObject,
  KGPredicate,
  KGStatement,
  KGSubject,
  KnowledgeGraphChangeEvent,
  KnowledgeGraphPatch,
  KnowledgeQueryParams,
  KnowledgeQueryResponseResult,
  KnowledgeSubscribeParams,
  KnowledgeUpdateParams,
  KnowledgeUpdateResponseResult,
} from '../gen/knowledge-v1/types.ts';
export type { HttpClient } from '../net/http-client.ts';
export { type KeyPlace, type PublicKeys, readPublicKeys } from '../net/public-keys.ts';
export type { OnWire, WireLine } from '../net/wire-log.ts';
export { type AdminClient, type AdminMethods, type AdminOptions, openAdmin } from './admin.ts';
export { type BindingName, bindings } from './bindings.ts';
export type { CallOptions } from './caller.ts';
export { choices, type InterfaceChoice, type ReadCard } from './choose.ts';
export type {
  Client,
  Content,
  KnowledgeClient,
  OperationMethods,
  SendOptions,
  StreamingOperation,
  UnaryOperation,
} from './client.ts';
export { sendRequest } from './client.ts';
export { type ConnectOptions, connect, discover } from './connect.ts';
export type { ConnectionOptions, TlsOptions } from './connection.ts';
export type { Credentials } from './credentials.ts';
export { allDialects } from './dialects.ts';
export type { FoundCard } from './read-card.ts';
export {
  type SignatureInfo as ShownSignature,
  signaturesOfCard as shownSignatures,
  UntrustedCard,
  type VerifiedCard as Vouched,
  verifyCard,
} from './verify-card.ts';
