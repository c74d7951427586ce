// Aldermoor One: a general channel.
#include "dvb/demo/guide_languages.h"

namespace receiverd::dvb::demo {

const std::string_view kGuideEnglish = R"guide(
l Season|Episode
= breakfast 22 0 p
t Aldermoor Breakfast
a News, weather and travel every half hour, with Marian Tolley and Osric Bane at the round table. Recipes before eight, the papers after.
c Presenter=Marian Tolley|Presenter=Osric Bane
= news 21 0 n
t Aldermoor News
a The day's news from home and abroad, followed by the weather for the coast and the moors.
e Ferry line|The night ferry between Port Aldermoor and the Skerry Isles will run all winter again.
e Schools|Two hundred village schools are to share music teachers from next term.
e Bridges|Engineers have finished the survey of the Tamble viaduct; trains return on Monday.
e Harvest|Apple growers report the best crop in eleven years after a dry September.
e Library vans|The county keeps its travelling libraries and adds an electric one.
e Flood walls|Work on the harbour wall at Penhollow is three weeks ahead of plan.
e Observatory|Volunteers at Fell Top have counted a record number of meteors.
e Market hall|Traders move back into the restored market hall before the end of the month.
= village 15 0 s
t Larkrise Lane
a Everyday life in a street of eleven houses, one shop and a bus that is never on time.
c Written by=Petra Holloway|Cast=Ines Darrow, Tom Keswick, Ruth Adeyemi
e The New Tenant|Number nine has been empty for a year. When the removal van arrives at midnight, everybody has a theory.
e A Matter of Hedges|Mr Pell measures the hedge. Mrs Okafor measures Mr Pell.
e The Bus That Stayed|The last bus breaks down in front of the shop and its driver turns out to be an excellent cook.
e Lost Property|A violin is found at the stop. Three people say that it is theirs, and only one can play.
e Café Society|Ines wants to open a café in the garage; the street wants a vote.
e Frost|The pipes freeze and the whole lane moves into the one kitchen that is still warm.
e Fireworks|Two parties, one evening, and a letter that should have been opened weeks ago.
e The Count|It is the day of the census, and number four has one person too many.
= auction 31 0 s
t Going, Going
a Two teams have an hour and fifty pounds at a country auction. The profit goes to charity, the loss to legend.
c Presenter=Dilys Marchbanks
e Penhollow Hall|A box of unsorted lamps divides the blue team.
e Tamble Mart|Is it a milk churn or an umbrella stand? The experts disagree for the first time.
e Skerry Boatyard|Everything smells of tar and the bidding is fierce.
e Old Rectory|A clock that runs backwards and a set of very patient china dogs.
e The Seed Warehouse|Forty tin signs come under the hammer and one of them is real.
= garden A7 0 s
t The Walled Garden
a Practical gardening through the year with head gardener Edda Wren.
c Presenter=Edda Wren
e Pruning Pears|Why the old espaliers want a light hand, and how to sharpen a knife.
e Compost, Twice|Edda turns the heap and answers letters from viewers with clay soil.
e Bulbs in Layers|One pot, three months of flowers.
e The Greenhouse in Winter|Insulation from what everybody has at home, and the case for a paraffin lamp.
e Hedges from Cuttings|Forty metres of hedge for the price of patience.
= kitchen A5 0 s
t Salt and Smoke
a Bram Attwater cooks what the coast gives, on whatever burns.
c Presenter=Bram Attwater
e Mackerel at Dawn|A small boat, a bucket and breakfast on the shingle.
e The Long Loaf|Bread for a crew of nine, baked overnight in a stove that was never meant for it.
e Samphire and Eggs|Bram learns where to pick from the woman who has done it for sixty years.
e Cheese Cellar|Down forty steps to meet a blue that nobody exports.
= quiz 31 0 s
t Ten Questions to Midnight
a Four strangers, one clock. Each wrong answer moves the hands.
c Quizmaster=Leopold Grange
e First Heat|A lighthouse keeper meets a tax inspector, and both know too much about moths.
e Second Heat|The hands reach a minute to twelve with three questions to go.
e Third Heat|Geography divides the teachers, opera unites them.
e The Return|Last year's runner-up tries again and brings her grandmother.
= crime 11 12 s
t Inspector Quill
a A detective who writes everything down in a coastal town that would rather forget.
c Director=Agnes Vole|Cast=Humphrey Lisle, Noor Basra, Wendell Crake|Music=Tobias Fenn
e Low Water|The tide goes out further than it has in thirty years and uncovers a car that was reported stolen in 1987. Quill remembers the driver.
e The Paper Mill|A night watchman vanishes from a locked mill. All that is left is half a crossword, correctly solved.
e Bell, Book|Someone rings the church bell at four every morning. On the sixth night it stays silent.
e A Quiet Harbour|The harbour master's log has a page too many, and the handwriting is Quill's own.
e Ink|An anonymous letter accuses the whole council. The typewriter is found in the mayor's attic, under thirty years of dust.
e The Collector of Weather|A retired meteorologist is found dead beside forty years of records, and one day is missing.
= film 10 12 f
t Film
e The Lighthouse Keepers|Drama. Two brothers who have not spoken for twenty years must keep the last manned light through one winter of storms.
c Director=Maud Ferrier|Cast=Alec Strand, Peter Winnow, Sorcha Dunne|Year=2011
e Seven Bridges to Elmswick|Road film. A piano must reach a wedding by Saturday, and every bridge on the way is closed.
c Director=Ivo Lanyon|Cast=Tamsin Oake, Joseph Bellamy|Year=2016
e The Understudy's Waltz|Comedy. On opening night the understudy learns that she has rehearsed the wrong play.
c Director=Celeste Amory|Cast=Prudence Vail, Hector Ames|Year=2008
e Night Freight|Thriller. A driver, a witness and eleven wagons that appear on no timetable.
c Director=Rolf Sandys|Cast=Miriam Coyle, Dean Harrow, Ishaan Pell|Year=2019
e The Orchard at War|Drama. In the summer of 1941 three land girls find a parachute among the apple trees.
c Director=Helena Marsh|Cast=Flora Penn, Edith Raine, Jack Corrigan|Year=1998
e Mr Abernathy Departs|Comedy. A retired stationmaster decides to take every train he ever announced.
c Director=Giles Tarrant|Cast=Bernard Loxley, Amara Quist|Year=2013
e Salt Road|Western in wool: a feud over a mountain path in the last days of the pack ponies.
c Director=Una Garrick|Cast=Wren Tolliver, Cal Hodge|Year=2005
e The Ninth Wave|Adventure. A cartographer joins the crew that once drew the map he knows to be false.
c Director=Maud Ferrier|Cast=Nathaniel Grey, Olu Danvers|Year=2021
= sitcom 14 0 s
t The Complaints Department
a Six people, one telephone and everything the borough has ever done wrong.
c Written by=Desmond Wray|Cast=Kit Larkin, Olive Bright, Samir Anand
e Potholes|A caller reports the same hole every day. On Friday it reports back.
e The Swan|Nobody is responsible for the swan. The swan knows.
e Red Tape|The tape has run out, and so has the form to order it.
e Open Day|Visitors! The department tidies away the evidence and one colleague too many.
e Out of Office|An automatic reply starts a correspondence with another automatic reply.
= talk 33 0 s
t Late with Lavinia
a Conversation, one song and a question from the audience, recorded this evening in the old gasworks.
c Presenter=Lavinia Stroud
e With a mountain rescuer and a poet|What do you shout into fog?
e With the woman who tunes the organ|And a band of eleven that has never agreed on a name.
e With two ferrymen|They have crossed forty thousand times and still wave.
e With the last lamplighter|He brings a ladder.
= wild 91 0 s
t Moor and Mire
a Natural history of the uplands, filmed over three years by one family of camera people.
c Narrator=Isolde Marr|Camera=Ewan, Liv and Per Tordoff
e The Curlew's Year|From the first call in March to the silence of October.
e Peat|Ten thousand years in four metres, and what lives in it.
e Short-eared Owls|Hunting by daylight over the rough grass.
e After the Fire|One burnt hillside, revisited each month.
e Otters of the Tamble|They came back when nobody was counting.
= church 73 0 p
t Morning Service
a From the parish church of St Wilfrid, Tamble, with its restored organ of 1842.
= cartoons 55 0 p
t Saturday Upstairs
a Cartoons and puppets, things to make from cardboard, and the viewers' own jokes.
= night 00 0 p
t Night Pictures
a Quiet pictures of the coast road, the harbour lights and the sea. No commentary.
@ 0500 1234567 night
@ 0600 12345 breakfast
@ 0900 12345 auction!
@ 0945 12345 garden
@ 1030 12345 kitchen
@ 1115 12345 wild!
@ 1200 12345 village!
@ 1230 12345 quiz!
@ 1300 12345 news
@ 1330 12345 sitcom!
@ 1400 12345 film!
@ 1545 12345 auction
@ 1645 12345 garden!
@ 1715 12345 quiz
@ 1800 12345 news
@ 1830 12345 kitchen!
@ 1900 12345 village
@ 1930 1 wild
@ 1930 2 sitcom
@ 1930 3 garden
@ 1930 4 sitcom
@ 1930 5 kitchen
@ 2000 12345 news
@ 2015 14 crime
@ 2015 235 film
@ 2145 14 wild!
@ 2155 235 sitcom!
@ 2230 12345 news
@ 2245 1234 talk
@ 2245 5 film
@ 2345 1234 film!
@ 2530 12345 night
@ 0700 67 cartoons
@ 0900 6 kitchen!
@ 0930 7 garden!
@ 1000 6 garden!
@ 1000 7 church
@ 1100 67 wild!
@ 1200 67 village!
@ 1430 67 film
@ 1615 6 auction
@ 1615 7 wild
@ 1715 67 quiz
@ 1800 67 news
@ 1830 67 village!
@ 1930 67 sitcom
@ 2000 67 news
@ 2015 6 film
@ 2015 7 crime
@ 2200 67 news
@ 2215 6 talk
@ 2215 7 film
@ 2400 67 film!
@ 2600 67 night
)guide";

}  // namespace receiverd::dvb::demo
