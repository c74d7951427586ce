/** The checks of the doctor in Polish. */
import { plural } from '../../../languages/pl.ts';
import type { Texts } from './en.ts';

const polish: Texts = {
  passed: (count: number) => `${count} ${plural(count, 'test zaliczony', 'testy zaliczone', 'testów zaliczonych')}`,
  details: 'Szczegóły',
  checks: {
    node: ['Node.js', 'Node.js jest zbyt stary', 'Zainstaluj na tym urządzeniu nowszą wersję Node.js.'],
    addon: ['Program', 'Brakuje części programu', 'Zainstaluj receiverd ponownie.'],
    settings: [
      'Ustawienia',
      'Nie można odczytać pliku konfiguracji',
      'Obowiązują ustawienia sprzed ostatniej zmiany. Zmień ustawienie, aby zapisać plik od nowa.',
    ],
    folder: [
      'Folder',
      'Nie można używać folderu',
      'Sprawdź, czy jego dysk jest podłączony i ma wolne miejsce, albo wybierz inny folder.',
    ],
    lists: [
      'Listy',
      'Nie można w całości odczytać listy',
      'Może brakować kanałów, timerów lub kont. Szczegóły podają plik.',
    ],
    guide: [
      'Źródło programu',
      'Nie udało się odczytać źródła programu',
      'Sprawdź jego adres. Szczegóły podają odpowiedź serwera; odbiornik próbuje dalej.',
    ],
    tuner: ['Tuner', 'Tuner nie działa', 'Sprawdź, czy jest podłączony i włączony i czy jego adres jest poprawny.'],
    channels: [
      'Kanały',
      'Żaden tuner nie odbiera kanałów',
      'Wbudowane demo jest jedynym tunerem. Wybierz tuner, który odbiera kanały z list.',
    ],
    firmware: [
      'Oprogramowanie układowe',
      'Brakuje oprogramowania układowego tunera',
      'Zainstaluj pliki podane w szczegółach, a potem uruchom urządzenie ponownie.',
    ],
    port: ['Port', 'Nie można używać portu', 'Zatrzymaj program, który go zajmuje, albo wybierz inny port.'],
    output: [
      'Obraz',
      'To urządzenie nie może pokazać obrazu',
      'Zainstaluj mpv 0.33 lub nowszy albo wyłącz obraz na tym urządzeniu.',
    ],
    command: [
      'Wyłączanie',
      'Urządzenia nie można stąd wyłączyć',
      'Brakuje polecenia. Podaj inne albo nie zezwalaj na wyłączanie.',
    ],
    alarm: [
      'Budzik',
      'Urządzenia nie można włączyć do nagrań',
      'Pozwól odbiornikowi ustawiać budzik albo go wyłącz: urządzenie pozostanie włączone, dopóki są timery.',
    ],
    keys: [
      'Pilot',
      'Pilot nie może pisać na tym urządzeniu',
      'Załaduj moduł uinput i pozwól odbiornikowi go używać albo wyłącz to ustawienie.',
    ],
  },
};

export default polish;
