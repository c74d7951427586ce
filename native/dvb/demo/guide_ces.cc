// Člunek: music and the arts.
#include "dvb/demo/guide_languages.h"

namespace receiverd::dvb::demo {

const std::string_view kGuideCzech = R"guide(
l Řada|Díl
= koncert 62 0 s
t Večer v Rudolfově sále
a Záznam koncertu Komorní filharmonie Jizeran. Úvodní slovo Vlasta Křížová.
c Dirigent=Ondřej Šťastný|Sólistka=Žofie Brůžková
e Smyčce v zimě|Dvě serenády a jedna předehra, kterou nikdo nečekal.
e Dechový oktet|Od lovecké fanfáry k nočnímu tichu.
e Klavír na čtyři ruce|Sourozenci Ječmínkovi hrají tance z podhůří.
e Nedokončená suita|Skladatel odložil pero uprostřed taktu. Co bylo dál?
e Varhany a hoboj|Ze zrestaurovaného kostela ve Lhotě pod Skálou.
= jazz 64 0 s
t Sklep číslo sedm
a Jazz naživo z nejmenšího klubu ve městě.
c Uvádí=Radim Větvička
e Kvartet Lucie Hájkové|Standardy, které zní jako včerejší zprávy.
e Trio bez basy|Kontrabas uvízl ve vlaku. Hrálo se.
e Velký orchestr, malé pódium|Osmnáct hudebníků a tři židle.
e Noc trubek|Tři generace jednoho nátrubku.
= balet 66 0 f
t Tanec
e Zimní zahrada|Balet o čtyřech dějstvích na hudbu Bedřicha Šípka.
c Choreografie=Adéla Růžičková|Rok=2014
e Most|Současný tanec v prázdném překladišti.
c Choreografie=Štěpán Dvořáček|Rok=2019
e Loutky na niti času|Taneční pohádka pro dospělé.
c Choreografie=Adéla Růžičková|Rok=2008
= vytvarno 72 0 s
t Ateliéry
a Návštěvy u malířů, sochařů a grafiků.
c Režie=Jiří Nezbeda
e Dům plný hlíny|Sochařka, která nezavírá dveře ani v mrazu.
e Modř|Malíř hledá barvu, kterou viděl jedinkrát jako dítě.
e Dřevořez|Čtyři desky, sto otisků, žádná chyba.
e Sklo a stín|Co zbude, když se světlo posune.
e Plakáty z kůlny|Objev, který přepsal jednu výstavu.
= kniha 75 0 s
t Oslí ucho
a Týdeník o knihách a jejich čtenářích.
c Moderuje=Květa Ďurišová
e Deníky|Kdo smí číst cizí život?
e Detektivky z hor|Proč se na horských chatách tolik vraždí.
e Překladatelé|Jak přeložit slovo, které neexistuje.
e První věty|Začít je umění.
= divadlo 71 12 f
t Divadelní záznam
e Hostinec U Tří sov|Komedie o jedné noci, dvou účtech a žádném pokoji.
c Režie=Hynek Šrámek|Hrají=Alžběta Vrbová, Čeněk Poláček|Rok=2011
e Ředitelé zeměkoule|Satira z nekonečné porady.
c Režie=Libuše Tichá|Hrají=Dušan Kříž, Ema Žáčková|Rok=2017
e Bouře nad Oharkou|Drama z povodňové noci.
c Režie=Hynek Šrámek|Hrají=Jarmila Veselá, Tadeáš Mach|Rok=2006
e Ztracený klíč k jezeru|Lyrická hra o třech sestrách a čtvrté židli.
c Režie=Nina Ryšavá|Hrají=Běla Horká, Zoe Němcová|Rok=2020
= film 17 12 f
t Filmový klub
e Poslední promítač|Drama. Kino zavírá, ale poslední divák odmítá odejít.
c Režie=Evžen Hruška|Hrají=Kryštof Bílek, Šárka Mrázová|Rok=2013
e Tři dny v Mlžné|Černobílý detektivní film z lázeňského města.
c Režie=Otakar Říha|Hrají=Valérie Nová, Bořek Zeman|Rok=1966
e Žlutý tramvaják|Hořká komedie o muži, který odmítl změnit trasu.
c Režie=Olga Síbrtová|Hrají=Mikuláš Kouba, Hana Ježková|Rok=1984
e Podzimní vlaky|Cestopisný film beze slov.
c Režie=Evžen Hruška|Rok=2018
= folklor 63 0 s
t Z té naší vsi
a Písně, tance a kroje z údolí, kam nevede silnice.
e Masopust|Maska, která se dědí po babičce.
e Cimbál|Sto dvacet strun a jedna zlomená palička.
e Svatba na horách|Tři dny, dvě kapely.
e Pastýřské trouby|Zvuk, který dojde dál než mobil.
= rozhovor 24 0 s
t Bez opony
a Rozhovor s jedním umělcem a jedním předmětem.
c Ptá se=Šimon Dobeš
e Skladatelka a budík|O tichu, které se dá naplánovat.
e Houslař a deštník|Déšť je nepřítel i učitel.
e Režisérka a jízdenka|Cesta, která se nevrátila.
e Básník a lopata|Zahrada jako rukopis.
= noc 60 0 p
t Hudba do noci
a Nepřerušená hudba s obrazy řeky.
@ 0500 1234567 noc
@ 0700 1234567 folklor!
@ 0730 1234567 vytvarno!
@ 0815 1234567 kniha!
@ 0900 1234567 koncert!
@ 1030 1234567 rozhovor!
@ 1115 12345 jazz!
@ 1115 67 balet!
@ 1245 1234567 vytvarno
@ 1330 1234567 folklor
@ 1400 12345 divadlo!
@ 1400 67 film!
@ 1600 1234567 kniha
@ 1645 1234567 rozhovor
@ 1730 1234567 vytvarno!
@ 1815 1234567 folklor!
@ 1845 1234567 jazz
@ 2000 13 koncert
@ 2000 25 film
@ 2000 4 balet
@ 2000 67 divadlo
@ 2150 1234567 rozhovor!
@ 2235 13 film
@ 2235 24567 koncert
@ 2405 1234567 jazz!
@ 2520 1234567 noc
)guide";

}  // namespace receiverd::dvb::demo
