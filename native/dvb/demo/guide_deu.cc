// Talblick 24: news around the clock.
#include "dvb/demo/guide_languages.h"

namespace receiverd::dvb::demo {

const std::string_view kGuideGerman = R"guide(
l Staffel|Folge
= news 21 0 n
t Talblick Nachrichten
a Das Wichtigste zur vollen Stunde: Nachrichten aus den Tälern, aus dem Land und aus der Welt, dazu Wetter und Verkehr.
e Brücke bei Hohental|Nach zwei Jahren Bauzeit ist die neue Brücke bei Hohental für den Verkehr freigegeben.
e Wasserstand|Der Pegel der Aure sinkt langsam; die Uferwege bleiben bis Freitag gesperrt.
e Nachtzug|Der Nachtzug in den Süden fährt ab Dezember wieder täglich.
e Streuobst|Die Mostereien rechnen mit der größten Ernte seit fünfzehn Jahren.
e Grundschulen|Vierzig Grundschulen erhalten einen eigenen Schulgarten.
e Bergwacht|Die Bergwacht warnt vor Altschnee oberhalb von achtzehnhundert Metern.
e Stadtbücherei|Die Stadtbücherei Hohental-Süd öffnet künftig auch am Sonntag.
e Glasfaser|Im Oberen Tal sind jetzt alle Höfe an das Glasfasernetz angeschlossen.
e Orgelweihe|Nach langer Restaurierung erklingt die Barockorgel von Sankt Ägidius wieder.
e Wolfsrudel|Forscher bestätigen ein drittes Rudel im Grenzgebiet; Schäfer erhalten Zäune.
= wetter 21 0 p
t Wetter im Tal
a Die Aussichten für die nächsten drei Tage mit Pollenflug, Schneehöhen und Bergwetter.
c Moderation=Jörg Mühlbauer
= presse 24 0 s
t Die Presserunde
a Drei Redaktionen, drei Meinungen, ein Thema.
c Moderation=Käthe Brönner
e Wem gehört das Wasser?|Über Quellen, Rechte und einen Brunnen, der zwei Gemeinden gehört.
e Das leise Dorf|Warum junge Leute zurückkehren und was sie vermissen.
e Schule ohne Noten|Ein Versuch geht in das vierte Jahr.
e Teure Heimat|Die Mieten steigen auch am Ende der Bahnlinie.
e Zeitung von morgen|Die Redaktionen sprechen über sich selbst, ausnahmsweise.
= boerse 82 0 p
t Markt um vier
a Kurse, Kennzahlen und das Unternehmen des Tages, verständlich erklärt von Sönke Würdig.
c Moderation=Sönke Würdig
= reportage 23 6 s
t Nahaufnahme
a Die Reportage: ein Mensch, ein Ort, dreißig Minuten.
c Redaktion=Änne Kößler
e Der letzte Fährmann|Seit vierzig Jahren zieht Albrecht Döring die Fähre über den Fluss. Im Frühjahr kommt die Brücke. Ein Abschied mit vielen Passagieren.
e Frühschicht|Um drei Uhr beginnt in der Großbäckerei der Tag. Wer arbeitet, wenn alle schlafen?
e Zwei Zimmer, Küche, Bühne|Das kleinste Theater des Landes steht in einer Mietwohnung im dritten Stock.
e Die Lawinenfrau|Gerda Stöckl entscheidet, ob die Straße offen bleibt. Manchmal hört sie dafür nur auf den Schnee.
e Grenzgänger|Sechzig Pendler, ein Bus und ein Fahrer, der alle Geburtstage kennt.
e Das Archiv der Stimmen|Ein Tonmeister sammelt Dialekte, bevor sie verstummen.
e Werft im Winter|Elf Monate Stille, vier Wochen Lärm: Die Ausflugsschiffe müssen ins Trockene.
= gespraech 24 0 s
t Unter der Linde
a Ein Gast, eine Stunde, keine Einspieler. Gespräche auf einer Bank.
c Gastgeber=Matthäus Prüßmann
e Die Richterin|Über Zweifel im Talar und Urteile, die einen nicht loslassen.
e Der Uhrmacher|Er repariert Turmuhren und kommt selbst immer zu spät.
e Die Hebamme|Viertausend Geburten, drei Bürgermeister darunter.
e Der Kartograf|Was auf keiner Karte steht.
= ausland 22 0 s
t Fernblick
a Berichte der Korrespondenten aus vier Erdteilen.
e Inseln im Wind|Wie eine Inselgruppe ihren Strom selbst macht und nun verkauft.
e Die lange Straße|Achttausend Kilometer mit einem Fernfahrer.
e Stadt aus Lehm|Bauen wie vor tausend Jahren, mit Klimaanlage.
e Eis auf Reisen|Eine Expedition begleitet einen Eisberg.
= technik 92 0 s
t Schalter und Hebel
a Technik zum Anfassen: wie Dinge funktionieren und warum sie es manchmal nicht tun.
c Moderation=Bärbel Kühn, Özgür Falk
e Wie ein Aufzug bremst|Und weshalb er nie abstürzt.
e Papiermaschine|Hundert Meter lang, achtzig Stundenkilometer schnell.
e Stellwerk|Hebel, Drähte und eine Mechanik, die seit 1911 keinen Fehler machte.
e Die Uhr im Stromnetz|Warum Küchenuhren einmal sechs Minuten nachgingen.
= doku 93 12 s
t Spurensuche
a Geschichte, erzählt an Gegenständen.
e Der Koffer aus Gleis sieben|Achtzig Jahre stand er unbeachtet im Fundbüro. Wem gehörte er?
e Die gefälschte Wetterkarte|Ein Irrtum im Sommer 1957 und seine Folgen.
e Das rote Fahrrad|Eine Flucht, zwei Länder, ein Rahmen mit Nummer.
e Ein Schlüssel zu viel|Im Rathaus passt er in keine Tür. Oder doch?
= nacht 21 0 p
t Nachtschleife
a Nachrichten im Überblick, Wetterkarten und Bilder der Straßenkameras.
@ 0500 1234567 news
@ 0515 1234567 wetter
@ 0530 1234567 reportage!
@ 0600 1234567 news
@ 0630 1234567 wetter
@ 0645 1234567 technik!
@ 0700 1234567 news
@ 0730 1234567 ausland!
@ 0800 1234567 news
@ 0815 1234567 doku!
@ 0900 1234567 news
@ 0915 12345 presse!
@ 0915 67 gespraech!
@ 1000 1234567 news
@ 1015 1234567 reportage!
@ 1045 1234567 wetter
@ 1100 1234567 news
@ 1115 12345 technik!
@ 1115 67 ausland!
@ 1200 1234567 news
@ 1230 1234567 ausland
@ 1300 1234567 news
@ 1315 12345 gespraech!
@ 1315 67 doku!
@ 1400 1234567 news
@ 1415 1234567 technik
@ 1500 1234567 news
@ 1515 1234567 doku!
@ 1600 12345 boerse
@ 1600 67 news
@ 1630 1234567 reportage!
@ 1700 1234567 news
@ 1730 1234567 wetter
@ 1745 1234567 ausland!
@ 1815 1234567 reportage
@ 1900 1234567 news
@ 1930 12345 presse
@ 1930 67 technik!
@ 2000 1234567 news
@ 2015 135 doku
@ 2015 24 gespraech
@ 2015 67 doku
@ 2100 1234567 news
@ 2115 1234567 reportage!
@ 2200 1234567 news
@ 2230 12345 presse!
@ 2230 67 gespraech
@ 2330 1234567 ausland!
@ 2400 1234567 news
@ 2415 1234567 doku!
@ 2500 1234567 nacht
@ 2700 1234567 reportage!
@ 2730 1234567 nacht
)guide";

}  // namespace receiverd::dvb::demo
