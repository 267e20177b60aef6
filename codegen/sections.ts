import type { Model } from './model.ts';

/** A specification that describes the messages of a package, section by section. */
interface Specification {
  /** Package of the proto. */
  readonly package: string;
  /** Name of the specification in comments. */
  readonly title: string;
  /** Section of each message and enum that the specification describes. */
  readonly sections: Readonly<Record<string, string>>;
}

/**
 * Sections in which the published specification describes messages: a section about the message itself, otherwise that
 * of the operation or message that uses it.
 */
const specification: Specification = {
  package: 'lf.a2a.v1',
  title: 'A2A 1.0',
  sections: {
    SendMessageResponse: '3.1.1',
    GetTaskRequest: '3.1.3',
    ListTasksRequest: '3.1.4',
    ListTasksResponse: '3.1.4',
    CancelTaskRequest: '3.1.5',
    SubscribeToTaskRequest: '3.1.6',
    GetTaskPushNotificationConfigRequest: '3.1.8',
    ListTaskPushNotificationConfigsRequest: '3.1.9',
    ListTaskPushNotificationConfigsResponse: '3.1.9',
    DeleteTaskPushNotificationConfigRequest: '3.1.10',
    GetExtendedAgentCardRequest: '3.1.11',
    SendMessageRequest: '3.2.1',
    SendMessageConfiguration: '3.2.2',
    StreamResponse: '3.2.3',
    Task: '4.1.1',
    TaskStatus: '4.1.2',
    TaskState: '4.1.3',
    Message: '4.1.4',
    Role: '4.1.5',
    Part: '4.1.6',
    Artifact: '4.1.7',
    TaskStatusUpdateEvent: '4.2.1',
    TaskArtifactUpdateEvent: '4.2.2',
    TaskPushNotificationConfig: '4.3.1',
    AuthenticationInfo: '4.3.2',
    AgentCard: '4.4.1',
    AgentProvider: '4.4.2',
    AgentCapabilities: '4.4.3',
    AgentExtension: '4.4.4',
    AgentSkill: '4.4.5',
    AgentInterface: '4.4.6',
    AgentCardSignature: '4.4.7',
    SecurityRequirement: '4.5',
    StringList: '4.5',
    SecurityScheme: '4.5.1',
    APIKeySecurityScheme: '4.5.2',
    HTTPAuthSecurityScheme: '4.5.3',
    OAuth2SecurityScheme: '4.5.4',
    OpenIdConnectSecurityScheme: '4.5.5',
    MutualTlsSecurityScheme: '4.5.6',
    OAuthFlows: '4.5.7',
    ImplicitOAuthFlow: '4.5.7',
    PasswordOAuthFlow: '4.5.7',
    AuthorizationCodeOAuthFlow: '4.5.8',
    ClientCredentialsOAuthFlow: '4.5.9',
    DeviceCodeOAuthFlow: '4.5.10',
  },
};

/** Returns the section about a message or enum, such as `A2A 1.0, section 4.1.1.`; undefined if none is known. */
export function sectionOf(packageName: string, name: string): string | undefined {
  if (packageName !== specification.package || !Object.hasOwn(specification.sections, name)) return undefined;
  return `${specification.title}, section ${specification.sections[name]}.`;
}

/** Returns notes about messages and enums of a model without a known section, and about sections without a message. */
export function sectionNotes({ package: own, messages, enums }: Model): string[] {
  if (own !== specification.package) return [];
  const names = [...messages, ...enums].map(({ name }) => name);
  const unknown = names.filter((name) => sectionOf(own, name) === undefined);
  const stale = Object.keys(specification.sections).filter((name) => !names.includes(name));
  return [
    ...unknown.map((name) => `${own}.${name}: codegen/sections.ts does not say which section describes it`),
    ...stale.map((name) => `${own}.${name}: codegen/sections.ts has its section, and the proto lacks it`),
  ];
}
