#!/usr/bin/env node
/** Runs the command line from the sources; a package runs it from its bundle (src/launcher.ts). */
import { commandLine } from './command-line.ts';

await commandLine.parseAsync();
