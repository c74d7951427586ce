/** The checks of the doctor in Dutch. */
import type { Texts } from './en.ts';

const dutch: Texts = {
  passed: (count: number) => (count === 1 ? '1 controle in orde' : `${count} controles in orde`),
  details: 'Details',
  checks: {
    node: ['Node.js', 'Node.js is te oud', 'Installeer een nieuwere versie van Node.js op dit apparaat.'],
    addon: ['Programma', 'Een deel van het programma ontbreekt', 'Installeer receiverd opnieuw.'],
    settings: [
      'Instellingen',
      'Het configuratiebestand is niet leesbaar',
      'De instellingen van vóór de laatste wijziging gelden. Wijzig een instelling om het bestand opnieuw te schrijven.',
    ],
    folder: [
      'Map',
      'Een map is niet bruikbaar',
      'Controleer of de schijf is aangesloten en ruimte heeft, of kies een andere map.',
    ],
    lists: [
      'Lijsten',
      'Een lijst is niet volledig leesbaar',
      'Er kunnen zenders, timers of accounts ontbreken. De details noemen het bestand.',
    ],
    guide: [
      'Bron van de gids',
      'Een bron van de gids was niet leesbaar',
      'Controleer het adres. De details noemen het antwoord van de server; de ontvanger blijft het proberen.',
    ],
    tuner: ['Tuner', 'Een tuner werkt niet', 'Controleer of hij is aangesloten en aanstaat en of zijn adres klopt.'],
    channels: [
      'Zenders',
      'Geen tuner ontvangt de zenders',
      'De ingebouwde demo is de enige tuner. Kies de tuner die de zenders van de lijsten ontvangt.',
    ],
    firmware: [
      'Firmware',
      'De firmware van een tuner ontbreekt',
      'Installeer de bestanden die in de details staan en start het apparaat opnieuw op.',
    ],
    port: ['Poort', 'Een poort is niet bruikbaar', 'Stop het programma dat hem gebruikt of kies een andere poort.'],
    output: [
      'Beeld',
      'Dit apparaat kan het beeld niet tonen',
      'Installeer mpv 0.33 of nieuwer, of zet het beeld op dit apparaat uit.',
    ],
    command: [
      'Afsluiten',
      'Het apparaat is van hier niet af te sluiten',
      'De opdracht ontbreekt. Noem een andere of sta afsluiten niet toe.',
    ],
    alarm: [
      'Wekker',
      'Het apparaat kan niet worden aangezet voor opnamen',
      'Laat de ontvanger de wekker zetten of schakel hem uit: het apparaat blijft dan aan zolang er timers zijn.',
    ],
    keys: [
      'Afstandsbediening',
      'De afstandsbediening kan op dit apparaat niet typen',
      'Laad de module uinput en sta de ontvanger toe die te gebruiken, of zet de instelling uit.',
    ],
  },
};

export default dutch;
