import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Application, Converter, OptionDefaults, type TypeDocOptions } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import { anchorsOf, mapLinks } from './markdown.ts';
import { project } from './stage.ts';

/**
 * Types that programs get and pass on, and do not take apart: parts of the store, of calls in the gateway and of resolved
 * configurations. typedoc warns of every other type that is not exported.
 */
const opaque = [
  ...['AgentModeSetting', 'OperationTypes', 'ReplicaRecord', 'TaskOverview', 'TaskSearchPage', 'UndeliveredPage'],
  ...['SizedRecord', 'StoreBackup', 'UpstreamCard'],
  ...[
    'AgentMode',
    'Append',
    'ChangePosition',
    'Delivery',
    'DeliveryQuery',
    'DeliveryReport',
    'EventPage',
    'KnownCall',
    'Peers',
    'StoreTopics',
  ],
  ...['PushConfigPageRequest', 'PushOrigin', 'StateOutcome', 'StateSpaceId', 'StoreBatch', 'StoreConnections'],
  ...[
    'StoredTask',
    'StoreFigures',
    'TaskFilter',
    'TaskListRequest',
    'TaskOwner',
    'TaskPage',
    'TaskRecord',
    'UpstreamTask',
  ],
  ...['RemoteAgent', 'Requester', 'WebhookBounds'],
  ...[
    'Ask',
    'CallDecisions',
    'CallKey',
    'CallSemantics',
    'MemoryReservation',
    'OperationName',
    'PeerSoftware',
    'Replay',
    'RequestOf',
  ],
  ...['AttemptObserver', 'CallObserver', 'FrameTap', 'LatestExchange', 'ResponseOf', 'TaskFacts'],
  ...['AgentConfig', 'AuthSettings', 'CallsConfig', 'ConsoleConfig', 'QuestionsConfig', 'TracingConfig'],
  ...['Api', 'Binding', 'CacheValidators', 'Dialect', 'KGStatement', 'Streaming', 'Struct', 'Unary'],
  ...['VersionName', 'WorkerGroup', 'rows'],
  ...['ClientClass', 'Handlers', 'Rpcs', 'Service'],
];

/** The entries of the package, by the source file of each. */
function entries(): Map<string, string> {
  const { name, exports } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  const found = Object.entries<{ types?: string }>(exports).flatMap(([path, { types }]) =>
    types === undefined
      ? []
      : [[types.replace('./dist/', 'src/').replace('.d.ts', '.ts'), name + path.slice(1)] as const],
  );
  return new Map(found);
}

/**
 * Writes a page for each entry of the package, about everything that programs can import from it, by typedoc.
 *
 * @throws Error for what typedoc warns of, such as an exported function with a type that is not exported
 */
export async function writeApi(folder: string): Promise<void> {
  const names = entries();
  const options: TypeDocOptions & PluginOptions = {
    plugin: ['typedoc-plugin-markdown'],
    name: 'Library API',
    entryPoints: [...names.keys()].map((path) => join(project, path)),
    tsconfig: join(project, 'tsconfig.build.json'),
    // `npm test` checks the types, by a newer TypeScript.
    skipErrorChecking: true,
    treatWarningsAsErrors: true,
    treatValidationWarningsAsErrors: true,
    intentionallyNotExported: opaque,
    disableSources: true,
    disableGit: true,
    readme: 'none',
    excludePrivate: true,
    excludeInternal: true,
    excludeExternals: true,
    blockTags: [...OptionDefaults.blockTags, '@generated'],
    excludeTags: ['@generated'],
    router: 'module',
    entryFileName: 'index',
    hidePageHeader: true,
    hideBreadcrumbs: true,
    useCodeBlocks: true,
    parametersFormat: 'table',
    propertiesFormat: 'table',
    interfacePropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    propertyMembersFormat: 'table',
    typeDeclarationFormat: 'table',
    enumMembersFormat: 'table',
    tableColumnSettings: { hideInherited: true, hideOverrides: true, hideSources: true },
    logLevel: 'Warn',
    outputs: [{ name: 'markdown', path: folder }],
  };
  const app = await Application.bootstrapWithPlugins(options);
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project: { children = [] } }) => {
    const byModule = new Map([...names].map(([path, name]) => [path.replace(/^src\/|(\/index)?\.ts$/g, ''), name]));
    for (const module of children) module.name = byModule.get(module.name) ?? module.name;
  });
  const converted = await app.convert();
  if (!converted) throw new Error('typedoc could not read the library');
  app.validate(converted);
  await app.generateOutputs(converted);
  mendAnchors(folder);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('typedoc has warnings, see above');
}

/** Links within a page: typedoc numbers some headings that then stand in tables, so that `#name-1` is just `#name`. */
function mendAnchors(folder: string): void {
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.md')) continue;
    const file = join(folder, path);
    const text = readFileSync(file, 'utf8');
    const anchors = anchorsOf(text);
    const mended = mapLinks(text, (link) => {
      const plain = link.replace(/-\d+$/, '');
      return link.startsWith('#') && !anchors.has(link.slice(1)) && anchors.has(plain.slice(1)) ? plain : link;
    });
    if (mended !== text) writeFileSync(file, mended);
  }
}
