/** The texts about the checks of the doctor in English: what is checked, what is wrong, and what helps. */
const english = {
  passed: (count: number) => (count === 1 ? '1 check passed' : `${count} checks passed`),
  details: 'Details',
  checks: {
    node: ['Node.js', 'Node.js is too old', 'Install a newer version of Node.js on this machine.'],
    addon: ['Program', 'A part of the program is missing', 'Install receiverd again.'],
    settings: [
      'Settings',
      'The configuration file cannot be read',
      'The settings from before the last change are in use. Change a setting to write the file again.',
    ],
    folder: [
      'Folder',
      'A folder cannot be used',
      'Check that its disk is connected and has free space, or choose another folder.',
    ],
    lists: [
      'Lists',
      'A list cannot be read completely',
      'Channels, timers or accounts may be missing. The details name the file.',
    ],
    guide: [
      'Guide source',
      'A guide source could not be read',
      'Check its address. The details say what the server has answered; the receiver keeps trying.',
    ],
    tuner: [
      'Tuner',
      'A tuner does not work',
      'Check that it is connected and switched on, and that its address is correct.',
    ],
    channels: [
      'Channels',
      'No tuner can receive the channels',
      'The built-in demo is the only tuner. Choose the tuner that receives the channels of your lists.',
    ],
    firmware: [
      'Firmware',
      'The firmware of a tuner is missing',
      'Install the files that the details name, then restart the machine.',
    ],
    port: ['Port', 'A port cannot be used', 'Stop the program that uses it, or choose another port.'],
    output: [
      'Picture',
      'This machine cannot show the picture',
      'Install mpv 0.33 or newer, or turn off the picture on this machine.',
    ],
    command: [
      'Shutdown',
      'The machine cannot be shut down from here',
      'The command for it is missing. Name another one, or do not allow shutting down.',
    ],
    alarm: [
      'Wake-up alarm',
      'The machine cannot be switched on for recordings',
      'Let the receiver set the alarm, or turn it off: the machine then stays on while there are timers.',
    ],
    keys: [
      'Remote control',
      'The remote control cannot type on this machine',
      'Load the module uinput and allow the receiver to use it, or turn off the setting.',
    ],
  },
} satisfies {
  readonly passed: (count: number) => string;
  readonly details: string;
  readonly checks: Readonly<Record<string, readonly [what: string, problem: string, help: string]>>;
};

export type Texts = typeof english;

export default english;
