import { Command } from 'commander';
import { packageVersion } from '../gateway/compose/version.ts';
import { addAdmin } from './families/admin.ts';
import { addCalling } from './families/calling.ts';
import { addDocuments } from './families/documents.ts';
import { addKnowledge } from './families/knowledge.ts';
import { exitCodes } from './families/options.ts';
import { addServing } from './families/serving.ts';
import { addTools } from './families/tools.ts';
import type { Output } from './output.ts';

const families = [addServing, addAdmin, addCalling, addTools, addKnowledge, addDocuments];

/** @param named the command that will run, where it is known: the families behind its own are left out */
export function createProgram(output: Output, named?: string): Command {
  const program = new Command('a2a-gateway')
    .description('Connects any A2A client to any A2A agent: every dialect, every binding, one port.')
    .version(packageVersion())
    .option('-v, --verbose', 'show requests and answers as they are sent, and stack traces of errors')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', exitCodes)
    .showHelpAfterError(false)
    .helpCommand(false);
  for (const add of families) {
    add(program, output);
    if (program.commands.some((command) => command.name() === named)) break;
  }
  return program;
}
