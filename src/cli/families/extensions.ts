import type { Command } from 'commander';
import type { AddCommands, CommandLine } from '../../extensions/command.ts';
import { addGenerations } from '../../extensions/generations/commands/index.ts';
import { addGuard } from '../../extensions/guards/command.ts';
import { addKnowledge } from '../../extensions/knowledge/commands/index.ts';
import type { Output } from '../output.ts';
import { withGateway, withGatewayTarget } from './admin.ts';
import { example, fraction, integer, lazy, withTarget } from './options.ts';

/** The extensions that have commands. */
const rows: readonly AddCommands[] = [addKnowledge, addGuard, addGenerations];

/** Adds the commands of extensions. */
export function addExtensions(program: Command, output: Output): void {
  for (const add of rows) add(program, commandLine(output));
}

const commandLine = (output: Output): CommandLine => ({
  withTarget,
  withGateway: (command) => withGatewayTarget(withGateway(command)),
  example,
  fraction,
  integer,
  action:
    (load, name) =>
    async (...args) => {
      const { createTools } = await import('../tools.ts');
      await lazy(load, name, createTools(output))(...args);
    },
});
