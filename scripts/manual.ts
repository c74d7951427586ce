/**
 * Writes what a package tells shells and man(1), from the command line and the settings: `tsx scripts/manual.ts FOLDER`.
 *
 *   FOLDER/man/           receiverd.1, receiverd.yaml.5
 *   FOLDER/completions/   receiverd (bash), _receiverd (zsh), receiverd.fish
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completions } from './completions.ts';
import { commandPage, settingsPage } from './man-pages.ts';

const [, , folder] = process.argv;
if (folder === undefined) throw new Error('usage: tsx scripts/manual.ts FOLDER');
const files = { 'man/receiverd.1': commandPage(), 'man/receiverd.yaml.5': settingsPage(), ...completions() };
for (const name of ['man', 'completions']) mkdirSync(join(folder, name), { recursive: true });
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
