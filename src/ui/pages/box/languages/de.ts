/** The checks of the doctor in German. */
import type { Texts } from './en.ts';

const german: Texts = {
  passed: (count: number) => (count === 1 ? '1 Prüfung bestanden' : `${count} Prüfungen bestanden`),
  details: 'Details',
  checks: {
    node: ['Node.js', 'Node.js ist zu alt', 'Installiere auf diesem Gerät eine neuere Version von Node.js.'],
    addon: ['Programm', 'Ein Teil des Programms fehlt', 'Installiere receiverd neu.'],
    settings: [
      'Einstellungen',
      'Die Konfigurationsdatei ist nicht lesbar',
      'Es gelten die Einstellungen von vor der letzten Änderung. Ändere eine Einstellung, um die Datei neu zu schreiben.',
    ],
    folder: [
      'Ordner',
      'Ein Ordner ist nicht benutzbar',
      'Prüfe, ob seine Festplatte angeschlossen und noch Platz frei ist, oder wähle einen anderen Ordner.',
    ],
    lists: [
      'Listen',
      'Eine Liste ist nicht vollständig lesbar',
      'Es können Sender, Timer oder Konten fehlen. Die Details nennen die Datei.',
    ],
    guide: [
      'Quelle des Programms',
      'Eine Quelle des Programms war nicht lesbar',
      'Prüfe ihre Adresse. Die Details nennen die Antwort des Servers; der Receiver versucht es weiter.',
    ],
    tuner: [
      'Tuner',
      'Ein Tuner funktioniert nicht',
      'Prüfe, ob er angeschlossen und eingeschaltet ist und seine Adresse stimmt.',
    ],
    channels: [
      'Sender',
      'Kein Tuner empfängt die Sender',
      'Die eingebaute Demo ist der einzige Tuner. Wähle den Tuner, der die Sender deiner Listen empfängt.',
    ],
    firmware: [
      'Firmware',
      'Die Firmware eines Tuners fehlt',
      'Installiere die Dateien, die in den Details stehen, und starte dann das Gerät neu.',
    ],
    port: [
      'Port',
      'Ein Port ist nicht benutzbar',
      'Beende das Programm, das ihn belegt, oder wähle einen anderen Port.',
    ],
    output: [
      'Bild',
      'Dieses Gerät kann das Bild nicht zeigen',
      'Installiere mpv 0.33 oder neuer oder schalte das Bild an diesem Gerät aus.',
    ],
    command: [
      'Herunterfahren',
      'Das Gerät lässt sich von hier nicht herunterfahren',
      'Der Befehl dafür fehlt. Nenne einen anderen oder erlaube das Herunterfahren nicht.',
    ],
    alarm: [
      'Weckalarm',
      'Das Gerät lässt sich für Aufnahmen nicht einschalten',
      'Erlaube dem Empfänger, den Alarm zu stellen, oder schalte ihn aus: Das Gerät bleibt dann an, solange es Timer gibt.',
    ],
    keys: [
      'Fernbedienung',
      'Die Fernbedienung kann an diesem Gerät nicht tippen',
      'Lade das Modul uinput und erlaube dem Empfänger, es zu benutzen, oder schalte die Einstellung aus.',
    ],
  },
};

export default german;
