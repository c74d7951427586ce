#!/usr/bin/env node
/** Runs the command line from the sources; a package runs it from its bundle (src/program/launcher.ts). */
import { commandLine } from './command-line.ts';

await commandLine.parseAsync();
