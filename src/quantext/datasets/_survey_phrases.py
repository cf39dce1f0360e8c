"""What customers of a phone maker say in the synthetic survey, on 150 topics in 25 areas.

Everything is written as it stands inside a sentence: no capital at the start, no full stop at the
end. ``{}`` in a frame stands for a noun, singular or plural, and the verbs around it fit both.
"""

# An area: [nouns that any of its topics may use], then praise (+) and blame (-) too vague to tell
# its topics apart. A topic: name = its nouns, then its own praise and blame. A short coding frame
# takes the first two topics of the areas at the top.
AREAS = """
[the battery | the power supply | everything to do with charging]
+ it just keeps going and going | I hardly ever look for a socket | it never left me in the dark
- it keeps dying on me | I am always looking for a socket | it gives up at the worst moment
battery life = the battery life | the running time | the life of the battery
+ it still has a third left at bedtime | one charge gets me through two days
- it is flat by lunchtime | even a new battery barely lasts until evening
charging speed = the charging speed | the quick charger | the time it takes to charge
+ ten minutes on the charger and I can leave | it is full before I finish breakfast
- it takes half the night to charge | so much for quick, it took three hours
wireless charging = wireless charging | the charging pad | the wireless charger
+ I just drop it on the pad and it charges | no more cables by the bed
- it slips off the pad and is flat in the morning | the pad charges one night and not the next
standby time = the standby time | the power use overnight | the battery on standby
+ it loses next to nothing overnight | after a week in a drawer it still had charge
- it loses a third of its charge overnight | it drains even when I do not touch it
battery ageing = the ageing of the battery | the battery health | the battery after a year
+ after two years the battery holds charge like new | the battery health still says ninety-five
- after a year it holds half of its charge | the battery has swollen a little
charging cable = the charging cable | the cable in the box | the plug and cable
+ the cable is long and strong enough to charge in bed | the plug fits every charger I own
- the cable came apart after a month | the plug is loose, so it charges only at an angle

[the delivery | the shipping | the way it got here]
+ it was here before I expected it | it came right to my door | I did not have to chase anyone
- I waited at home for nothing | nobody knew where it was | it should have been here long ago
delivery time = the delivery time | the speed of delivery | next-day delivery
+ ordered on Monday and here on Tuesday | it arrived two days early
- it took three weeks to arrive | next-day delivery turned into next-week delivery
packaging = the packaging | the box it came in | the wrapping
+ it was well wrapped and nothing was scratched | the box was sturdy and easy to open
- the box arrived crushed on one side | it rattled around in a box three sizes too big
parcel tracking = the parcel tracking | the tracking page | the tracking messages
+ I could follow the parcel street by street | the tracking page was right to the minute
- the tracking said delivered when it was not | the tracking page showed the same line for five days
courier = the courier | the driver | the delivery man
+ the driver even carried it up the stairs | the courier rang first and was very polite
- the driver threw it over the fence | the courier never rang the bell
delivery slots = the delivery slots | the choice of delivery day | the evening delivery
+ I could pick an hour that suited me | changing the delivery day took one click
- the only slots were during my working hours | I picked a slot and they came the day before
completeness = the completeness of the parcel | the contents of the parcel | the contents of the box
+ everything on the list was in the parcel | nothing was missing from the box
- the plug was missing from the parcel | half of what I ordered was not in the box

[the service | your people | the help line]
+ somebody actually listened to me | I felt looked after | it was sorted out without any fuss
- nobody wanted to be responsible | I was sent from one person to the next | I got nowhere with them
customer support = customer support | the support team | the person from support
+ the lady from support solved it in five minutes | support stayed with me until it worked
- support read me answers from a script | support closed my case without asking me
waiting time on the phone = the waiting time on the phone | the telephone queue | the hold music
+ somebody answered after the second ring | I never waited longer than a minute
- I was on hold for fifty minutes | after half an hour in the queue the line went dead
live chat = the live chat | the chat window | the chat assistant
+ the chat gave me the right answer at midnight | a real person joined the chat at once
- the chat robot did not understand a word | the chat closed while I was still typing
complaint handling = the handling of my complaint | the answer to my complaint | the complaints team
+ my complaint was taken seriously | they called, said sorry and put it right
- my complaint has gone unanswered for a month | I got a standard letter in reply to my complaint
callbacks = the callback service | the promised callback | the callbacks
+ they called back exactly when they said | the callback came within the hour
- the promised call never came | they called back while I was in a meeting and gave up
expert advice = the advice I got | the expertise of the team | the technical knowledge
+ the technician clearly knew the phone inside out | the advice was sound and saved me money
- I knew more about the phone than the expert | two people gave me opposite advice

[the camera | the pictures | taking photos]
+ every shot is a keeper | my holiday album never looked better | even my grandchildren look sharp
- everything comes out blurred | half of my shots end up deleted | it ruined my holiday album
photo quality = the photo quality | the main camera | the sharpness of the pictures
+ the colours in my pictures look natural | photos are sharp right into the corners
- faces look like wax in the photos | the pictures are soft and washed out
night photos = the night mode | photos in the dark | low-light pictures
+ I can take pictures by candlelight | even the street at night comes out clear
- anything after sunset is just noise | indoors in the evening the pictures are blurred
video recording = video recording | the video quality | the films I take
+ my videos are steady even when I walk | the sound in my films is surprisingly clear
- it stops filming after ten minutes | the films jerk whenever I move
selfies = the selfie camera | the front camera | pictures of myself
+ the whole group fits into one selfie | my skin looks like skin in selfies
- the front camera makes me look ill | selfies are always a little out of focus
zoom = the zoom | the telephoto lens | pictures from far away
+ I can read a sign across the river with the zoom | birds in the garden fill the picture
- beyond twice, the zoom is a blur | zooming in turns the picture into a painting
photo editing = photo editing | the picture editor | the filters
+ cropping and brightening takes two taps | I rescued a dark picture in the editor
- the editor saves over my original picture | the filters make everything orange

[the money | the cost | what I paid]
+ I would pay it again | my wallet survived it | you get a lot for what you spend
- I felt ripped off by you | somebody is getting rich on me | I ask myself what it is all for
purchase price = the purchase price | the price tag | the price of the phone
+ it cost a hundred less than its rivals | the price is lower than in any shop
- it costs more than my first car | the price went up the week I bought it
value for money = the value for money | the ratio of price to quality | what you get for the price
+ for that price nothing else comes close | it is worth every penny
- you can get the same for half the price | it is not worth the money they ask
discounts = the discount | the special offers | the voucher code
+ the voucher took fifty off the price | students get a decent discount
- the voucher code was refused at the till | the discount only exists in small print
extra fees = the fees | the surcharges | the handling fee
+ there were no extra costs at all | what they quoted is what I paid
- they added a handling fee at the very end | the surcharge was never mentioned
accessory prices = the price of accessories | the cost of extras | what they ask for a spare charger
+ a spare charger costs next to nothing | the extras are fairly priced
- forty for a piece of plastic is cheeky | the extras cost half as much as the phone
trade-in value = the trade-in value | the money for my old phone | the trade-in offer
+ I got a good sum for my old phone | the trade-in paid for half of the new one
- they offered me ten for a phone like new | their offer dropped once they had my old one

[the screen | the display | the glass]
+ it is a pleasure to look at | my eyes thank you | I never want to look at my old one again
- I can hardly see a thing | my eyes hurt after an hour | I keep wiping it and it does not help
screen brightness = the brightness | the display in sunlight | the automatic brightness
+ I can read it in full sun | it dims by itself in the evening, just right
- on the beach the screen is a mirror | the brightness jumps up and down all day
screen durability = the scratch resistance | the toughness of the glass | the front glass
+ I dropped it on stone and the glass held | not one scratch after a year in my pocket
- the glass cracked on the first day | it scratches if you just look at it
touch response = the touch screen | the response to my fingers | touch typing
+ it reacts to the lightest touch | it even works with wet fingers
- I have to tap everything twice | the screen does not react along the edge
display colours = the colours of the display | the contrast | the picture on the display
+ black is really black on this display | films look better than on my television
- everything has a green tint | the colours look different when I tilt it
screen size = the screen size | the size of the display | the bigger screen
+ big enough to read without my glasses | the screen is large and it still fits my pocket
- I cannot reach the top of the screen with my thumb | the display is too small for my eyes
scrolling = the scrolling | the refresh rate | the smoothness of the display
+ scrolling is smooth as butter | long pages glide over the display
- the display stutters when I scroll | text smears while the page moves

[the software | the system | the latest version]
+ everything is where you would expect it | it simply does its job | I hardly had to think about it
- it has a mind of its own | I had to restart it again | it worked until last week
software updates = the updates | the last update | the update policy
+ the update brought useful things | updates arrive every month without trouble
- the last update made everything worse | it updated itself in the middle of a call
stability = the stability | the reliability of the system | the way the system holds up
+ it has not frozen once in a year | not a single crash since the update
- it freezes and restarts several times a day | it crashes whenever I open two programs
preinstalled apps = the preinstalled apps | the apps that came with it | the selection of apps
+ it came without a pile of useless apps | the apps on it are ones I really use
- I cannot remove the apps I never wanted | half of the storage was full of apps from the start
ease of use = the ease of use | the handling | the simplicity of the menus
+ my father understood it without help | everything is two taps away
- I need my son to change a setting | nothing in the menus is called what it is
notifications = the notifications | the alerts | the message sounds
+ I get alerts only for what matters | muting the alerts at night is easy
- it beeps at me all night long | I miss messages because no alert comes
settings = the settings | the settings menu | the options
+ the settings have a search that works | I could adjust it exactly to my taste
- every update moves the settings around | my settings are back to default every week

[the sound | the audio | the volume]
+ I hear every word | my ears are happy | music sounds as it should
- I keep asking people to repeat themselves | it crackles all the time | I hear nothing but noise
call quality = the call quality | the sound in calls | voices on the phone
+ my sister sounds as if she were in the room | calls are clear even in traffic
- callers sound as if they were under water | my voice breaks up in every call
speakers = the speakers | the loudspeaker | the built-in speaker
+ the speaker fills the whole kitchen | it plays loud without rattling
- the speaker rattles at half volume | it sounds like a tin can
microphone = the microphone | the voice recording | the sound of my own voice
+ people hear me well even in the wind | my voice notes are crystal clear
- nobody hears me unless I shout | the microphone picks up every noise but mine
headphone socket = the headphone socket | the headphone jack | the adapter for headphones
+ I can still plug in my old headphones | a proper headphone socket at last
- I need an adapter for my headphones | the headphones crackle in the socket
ringtone = the ringtone | the volume of the ringing | the choice of ringtones
+ I hear it ring from the garden | the new ringtones are lovely
- I miss calls because it rings so quietly | all the ringtones sound like an alarm
noise filter = the noise filter | the noise cancelling | the noise reduction
+ it filters out the whole train | in the office I hear only the caller
- it cuts off the first word of each sentence | the wind still drowns everything

[the connection | the network | the reception]
+ I am always online with it | it finds its way back by itself | no interruptions for weeks
- I keep losing contact | it drops out just when I need it | I am cut off all the time
signal strength = the signal | the signal strength | the coverage
+ I get full bars even in the cellar | it has a signal where my old one had none
- there is no signal in my own living room | one bar is the best I ever get
wifi = the wifi | the wireless network at home | the wifi reception
+ the wifi reaches the end of the garden | it joins my wifi the moment I come home
- it forgets the wifi password every day | it drops the wifi in the next room
bluetooth = bluetooth | the pairing | the link to my car
+ my car finds it in a second | it paired with everything at once
- it loses my headset every few minutes | pairing it with the car took six attempts
mobile data speed = the mobile data | the internet speed | the speed on the road
+ films load in seconds on the train | mobile internet is faster than my line at home
- pages take ages outside the city | mobile data crawls in the afternoon
dual SIM = the second SIM card | the dual SIM | the two numbers
+ work and private number in one phone at last | switching between both cards is simple
- the second card loses its network | it keeps calling from the wrong number
navigation = the navigation | the location | the satellite reception
+ it led me through the fog without a mistake | it always knows the exact spot
- it thinks I live in the river | the arrow points the wrong way on foot

[the body | the feel of it | the workmanship]
+ it sits well in the hand | it feels like a solid piece of work | it still looks new
- it feels cheap in the hand | it already looks old | I am afraid it will fall apart
build quality = the build quality | the materials | the finish
+ no gaps, nothing creaks | the metal frame feels made to last
- the frame creaks when I press it | the back came loose after a month
weight = the weight | the thickness | the size of the body
+ so light that I forget it is there | thin enough for my shirt pocket
- it pulls my jacket down | my wrist aches from holding it
grip = the grip | the surface | the back of it
+ it does not slip even with wet hands | the rough back sits safely in my hand
- it is slippery as soap | it slid off the table by itself
water resistance = the water resistance | the seal | the protection against rain
+ it fell into the sink and did not care | I take calls in the rain
- a few drops of rain and it was dead | there is mist behind the glass
colour choice = the choice of colours | the colour I got | the colour of the case back
+ the dark green is beautiful | at last something other than black
- the colour is nothing like the picture | only black or grey to choose from
buttons = the buttons | the power button | the volume keys
+ the keys click nicely and sit where they should | I find the buttons without looking
- the power button sticks | I press the volume key whenever I pick it up

[the performance | the processor | the way it runs]
+ it never keeps me waiting | it runs as on the first day | I have yet to find its limits
- it makes me wait for everything | it is slower than my old one | it struggles with simple things
speed = the speed | the pace | the response time
+ everything opens in an instant | it starts up in ten seconds
- it thinks for five seconds before it does anything | opening the phone book takes forever
storage space = the storage | the memory space | the room for photos
+ ten thousand photos and it is still half empty | a memory card fits in as well
- it is full after a hundred photos | it tells me daily that the memory is full
gaming = the gaming performance | the games | the graphics
+ my son plays for hours without a stutter | the newest games run at full detail
- games stutter after a few minutes | the graphics look ten years old
heat = the temperature | the cooling | the way it handles heat
+ it stays cool even when I play | it does not get warm in my pocket
- I could fry an egg on it | it gets so hot that it switches off
multitasking = multitasking | switching between apps | several things at once
+ it keeps twenty pages open without trouble | I write and watch at the same time
- it forgets what I had open | switching back means loading everything again
start-up = the start-up | the restart | switching it on
+ it is ready the moment I switch it on | a restart takes a few seconds
- it takes two minutes to start | it hangs at the logo when I switch it on

[the security | the protection | the safety of my data]
+ I sleep well with it | nobody gets in but me | I feel safe with it
- I do not trust it | I lock myself out all the time | anybody could get in
fingerprint sensor = the fingerprint sensor | unlocking by finger | the sensor on the back
+ one touch of my thumb and it is open | it knows my finger even when wet
- it refuses my finger every other time | in winter the sensor does not know me
privacy = the privacy settings | the data collection | the privacy policy
+ I can see which program used my data | it asks before it shares anything
- it wants access to all my contacts | it tells advertisers where I have been
face unlock = face unlock | unlocking by face | the face recognition
+ it recognises me with and without glasses | I look at it and it opens
- it opens for my brother too | it does not know me without my glasses
passwords = the passwords | the PIN entry | the password rules
+ it remembers my passwords safely | changing the PIN was simple
- it wants a new password every week | it asks for the PIN ten times a day
call blocking = the call blocking | the spam filter | the protection from strange callers
+ it warns me of dubious numbers | the blocked numbers stay blocked
- I get five calls from strangers a day | it blocked my own doctor
lost phone search = the search for a lost phone | the remote lock | the phone finder
+ I found it on the map within minutes | I locked it from home after I lost it
- it could not be found when it was stolen | the map showed a place from last week

[the order | the ordering | the online shop]
+ it was done in a few clicks | I found what I wanted at once | shopping should always be like this
- I had to start all over again | I gave up and phoned instead | it took me the whole evening
website = the website | the product pages | the search on your site
+ the pages are clear and honest | I could compare three models side by side
- the site kept logging me out | the search finds everything but what I typed
payment options = the payment options | the checkout | paying online
+ I could pay the way I always do | the checkout remembered my address
- my card was refused three times at the checkout | you cannot pay on account
order confirmation = the order confirmation | the confirmation email | the order number
+ the confirmation came within seconds | the confirmation had every detail
- I never got a confirmation | the confirmation named the wrong colour
stock availability = the availability | the stock | the waiting list
+ what I wanted was in stock | the colour I chose was available at once
- it said in stock and then it was not | sold out for six weeks running
order changes = changes to the order | the change of address | cancelling the order
+ I could still change the colour afterwards | cancelling the order took one click
- the wrong address could not be changed | my order was sent although I had cancelled it
customer account = my account on the site | the login | the account page
+ all my orders are there in one list | logging in works on every device
- my account exists twice now | the login sends me round in circles

[the return | the return service | the way you take things back]
+ they took it back without a murmur | I was treated fairly | they asked no questions
- I am stuck with it | they made me feel like a cheat | weeks later I am still waiting
returns process = the returns process | the return form | the way returns work
+ sending it back took five minutes | the return form was filled in already
- I filled in the return form three times | I had to pay to send it back
refunds = the refund | getting my money back | the refund of the deposit
+ the money was back in two days | they refunded the postage as well
- I am still waiting for my refund | they kept twenty of my refund without a reason
exchanges = the exchange | the replacement phone | the swap
+ the replacement came before I had sent mine | they swapped it on the spot
- the replacement had the same fault | they wanted to swap it for an older model
return label = the return label | the return parcel | the drop-off point
+ the label was in the box already | I could drop the parcel around the corner
- the label would not print | the nearest drop-off point is in the next town
return period = the return period | the thirty days | the deadline for returns
+ thirty days were plenty to try it | they accepted it one day late
- the deadline had passed before it arrived | two weeks are too short to try it
proof of purchase = the proof of purchase | the receipt | the paperwork for the return
+ the receipt on my phone was enough | they found my purchase without a receipt
- without the paper receipt they did nothing | they asked for a receipt they never sent

[the repair | the workshop | the repair service]
+ it works like new again | they fixed it for good | I had it back in no time
- it broke again the week after | they could not find the fault | I was without a phone for ages
repair time = the repair time | the time in the workshop | the wait for the repair
+ it was repaired while I had a coffee | the repair took one day
- the repair took five weeks | each week they said one more week
warranty = the warranty | the guarantee | the warranty claim
+ they fixed it under warranty without a word | three years of guarantee speak for themselves
- the warranty covers everything except what breaks | they said the guarantee did not apply
repair quality = the quality of the repair | the new glass they fitted | the technician's work
+ you cannot see that it was ever opened | the repaired one is better than before
- they fixed the glass and broke the sensor | it came back with a new scratch
repair costs = the repair costs | the repair quote | the price of a repair
+ the repair cost less than the quote | they fixed it for nothing
- the repair costs as much as a new one | I had to pay for the quote
spare parts = the spare parts | the new battery they fitted | the parts
+ parts are there even for my old model | I could order the part and fit it myself
- the part has been on order for months | they do not make the part any more
insurance = the insurance | the damage cover | the insurance claim
+ the insurance paid for the broken glass | the claim took one phone call
- the insurance found a reason not to pay | I pay every month and nothing is covered

[the contract | the tariff | the plan]
+ it fits what I need | I know what I am in for | it is fair on both sides
- I feel trapped in it | nobody explained that to me | the small print got me
contract terms = the contract terms | the contract length | the two-year contract
+ I can leave every month | the terms fit on one page
- two years are far too long | the contract renewed itself without a word
data allowance = the data allowance | the monthly data | the gigabytes in my plan
+ I never use up my data | unused data moves on to the next month
- my data is gone in the second week | they slow me down after a few films
roaming = the roaming | using it abroad | the calls from abroad
+ it worked abroad as it does at home | no extra charge on holiday
- one week abroad cost me sixty | it had no network at all across the border
cancellation = the cancellation | getting out of the contract | the notice period
+ I cancelled with one click | they let me out of the contract early
- they ignored my cancellation twice | cancelling is only possible by letter
upgrade offers = the upgrade offer | the new phone with the contract | the upgrade
+ they offered me an upgrade before I asked | long-standing customers get the upgrade cheaper
- new customers get a better phone than I do | the upgrade tied me down for two more years
number transfer = the number transfer | keeping my number | the move from my old provider
+ my number moved overnight | I kept my number without any effort
- I had no number for ten days | my old number is lost for ever

[the bill | the billing | the monthly payment]
+ it is correct every time | I understand what I pay | there were no nasty surprises
- it is wrong yet again | I do not know what I am paying for | I check it twice every month
bill clarity = the clarity of the bill | the list of items | the explanation on the bill
+ each item on the bill is explained | I understand the bill at a glance
- nobody can explain the bill to me | the bill has nine pages and no total
billing accuracy = the accuracy of the bill | the amounts on the bill | the sums you bill
+ they found a mistake themselves and paid it back | not one wrong amount in four years
- I was charged twice in March | they billed me for somebody else's calls
direct debit = the direct debit | the date of payment | the money taken from my account
+ the money goes out on the day I chose | the direct debit has always been right
- they took the money two weeks early | they debited an account I had closed
instalments = the instalments | paying monthly | the credit check
+ I could spread the price over two years | paying monthly costs nothing extra
- the instalments add up to far more than the price | I was refused monthly payment without a reason
invoices = the invoice | the invoice for my company | the digital invoice
+ the invoice came with all the tax details | I can download each invoice
- my company needs an invoice and gets none | the invoice has the wrong name on it
loyalty points = the loyalty points | the bonus scheme | the points on my account
+ my points paid for a case | I collect points with each bill
- my points expired overnight | the points are worth nothing when you want to use them

[the shop | the branch in town | the visit]
+ I left with a smile | I will go there again | they took their time for me
- I walked out again | nobody took any notice of me | it was a wasted trip
shop staff = the shop staff | the salesman | the people in the shop
+ the young man at the counter was patient | nobody tried to sell me more than I needed
- the salesman only wanted to sell insurance | the staff were busy with each other
shop queues = the queue in the shop | the wait at the counter | the service at the counter
+ I was served at once | two tills were open even on Saturday
- one till for twenty people | I stood at the counter for forty minutes
shop location = the location of the shop | the way to the shop | parking at the shop
+ the branch is right by the station | I can park in front of the door
- they closed the branch in our town | it is an hour by bus to the next branch
opening hours = the opening hours | the hours on Saturday | the hours in the evening
+ they are open until eight | I can go there after work
- they close before I finish work | they were shut although the sign said open
display models = the display models | the phones on show | trying it in the shop
+ I could try every model in the shop | the phones on show really work
- the phones on show are dummies | the model I wanted to try was chained up and dead
click and collect = click and collect | picking it up in the branch | the collection counter
+ it was ready when I came to collect it | collecting it took two minutes
- they could not find what I came to collect | collected in the shop and it was the wrong one

[the first day | the beginning | getting started]
+ I was up and running in no time | even I managed it | I needed no help
- I nearly gave up | I needed help from three people | it took me all weekend
first setup = the first setup | the set-up assistant | the first steps
+ the assistant led me through it step by step | set up in a quarter of an hour
- the setup stopped at step four | it asked me thirty questions before I could call
data transfer = the data transfer | moving my contacts | the move from my old phone
+ all my photos and contacts came across | the transfer ran by itself while I ate
- half of my contacts are gone | my old messages did not come across
SIM activation = the SIM activation | the SIM card | the activation of my number
+ the card worked as soon as I put it in | activated in two minutes
- the card was dead for three days | the activation code did not work
user manual = the user manual | the printed instructions | the instructions
+ the instructions have pictures and big letters | the manual answered all my questions
- there is no manual in the box | the manual was written by a machine
account creation = the account I had to create | the registration | signing up
+ I could use it without an account | signing up took one minute
- I had to create three accounts to use it | the registration refused my email address
language settings = the language | the translation | the choice of language
+ it speaks my mother's language | changing the language was easy
- half of the menus are in another language | the translation makes no sense

[the accessories | the extras | what goes with it]
+ it fits as if made for me | I bought a second one | a nice little helper
- it did not fit at all | it broke within days | it was money for nothing
cases = the case | the cover | the leather sleeve
+ the case saved it from a bad fall | the cover closes with a nice click
- the case covers the camera | the cover smells of chemicals
earbuds = the earbuds | the headphones in the box | the wireless headphones
+ the earbuds stay in when I run | the earbuds sound better than expected
- the earbuds fall out all the time | the left earbud is silent
screen protectors = the screen protector | the film on the glass | the protective glass
+ the film went on without bubbles | the protector cracked and the glass did not
- the film peels off at the corners | there are bubbles under the film
smartwatch = the smartwatch | the watch that goes with it | the watch
+ the watch shows my messages at once | the watch lasts a week
- the watch loses the phone all the time | the strap of the watch broke
car holder = the car holder | the holder for the dashboard | the bicycle mount
+ it holds tight even on bad roads | it clicks in with one hand
- it fell off in the first bend | it covers half of the windscreen
stylus = the stylus | the pen | handwriting with the pen
+ writing with the pen feels like paper | the pen never needs charging
- the pen got lost within a week | the line lags behind the pen

[the apps | the programs on it | the daily helpers]
+ I use it every single day | it saves me a lot of time | I would not want to be without it
- I installed another one instead | it costs me more time than it saves | it never does what I want
keyboard = the keyboard | the word suggestions | the autocorrect
+ it knows what I want to type | typing with one thumb is easy
- autocorrect turns my mails into nonsense | the keys are too small for my thumbs
calendar = the calendar | the reminders | the appointments
+ it reminds me in time of every birthday | my wife and I share one calendar
- appointments vanish from the calendar | it reminded me a day late
voice assistant = the voice assistant | the voice control | talking to it
+ it understands my dialect | I set the timer by voice when I cook
- it answers when nobody asked | it never understands my accent
health tracking = the step counter | the health app | the sleep tracking
+ I walk more since it counts my steps | the pulse matches my doctor's
- it counts steps while I drive | it says I slept when I was up all night
email = the email app | my mailbox | the mail
+ all my mailboxes in one list | mails arrive on it at once
- mails arrive hours late | it sorts real mails into the junk
app store = the app store | the choice of apps | the apps on offer
+ there is an app for everything | apps install in seconds
- my bank's app is not there | most apps want money after a week

[the accessibility | the help for older users | the easy mode]
+ it makes my life easier | somebody thought of people like me | I can use it without help
- it was not made for people like me | nobody thought of older users | I cannot use it on my own
text size = the text size | the size of the letters | the large type
+ I can read it without glasses | the letters grow as big as I like
- the letters are tiny in half of the menus | big letters push the text off the screen
parental controls = the parental controls | the time limits for children | the child lock
+ my daughter's hour a day really ends | I see what the children install
- my son got round the lock in a day | it blocks homework and lets the games through
hearing aids = the link to my hearing aids | hearing aid mode | calls through my hearing aids
+ my hearing aids ring with it | I hear calls right in my hearing aids
- my hearing aids whistle next to it | it forgets my hearing aids overnight
screen reader = the screen reader | the reading voice | having pages read out
+ it reads the news out to me | the reading voice sounds human
- the reader skips half of the buttons | the voice reads out every full stop
one-handed use = the one-handed mode | using it with one hand | the reach of my thumb
+ I reach everything with one hand | I can use it with the baby on my arm
- I need both hands for everything | my thumb does not reach the corner
vibration = the vibration | the buzzing | the vibration alarm
+ I feel it even through a coat | the buzz is gentle and clear
- I never feel it in my pocket | it buzzes so hard it walks off the table

[the environment | the green side | the ecological footprint]
+ my conscience is clear | others should do the same | a step in the right direction
- it is all green paint | the planet pays for it | you could do so much more
recycling = the recycling | the recycling scheme | handing in my old phone
+ they took my old phone for recycling | the shop has a box for old phones
- nobody wanted my old phone back | the recycling box was full for months
packaging waste = the amount of packaging | the wrapping material | the plastic and cardboard
+ not a scrap of plastic in the box | the box is made of recycled cardboard
- three layers of plastic around a cable | such a big box for such a small thing
repairability = the repairability | changing parts at home | the access to the battery
+ I changed the battery with a screwdriver | every part can be changed
- the battery is glued in | you cannot open it without breaking it
energy use = the energy use | the power consumption | the electricity it needs
+ the charger switches off when it is full | it needs hardly any electricity
- the charger gets hot and eats electricity | it uses power even when it is off
carbon footprint = the carbon footprint | the emissions | the climate promise
+ they publish their emissions | they plant trees and prove it
- flown around the world for one cable | the climate promise is only on paper
refurbished phones = the refurbished phones | the used model I got | the second-hand offer
+ the used one looked like new | refurbished and half the price
- the used one had a cracked corner | somebody else's photos were still on it

[the information | your messages | the communication]
+ I always knew where I stood | short, clear and friendly | it was nice to be kept up to date
- I was left in the dark | one hand does not know what the other writes | far too much of it
newsletters = the newsletter | the marketing emails | the weekly offers by mail
+ the newsletter has useful tips | one mail a month and always worth reading
- I unsubscribed three times and it still comes | a mail every day is too much
advertising = the advertising | the adverts | the promises in the advert
+ it does what the advert says | the advert made us laugh
- the advert promised what it cannot do | adverts pop up on a phone I paid for
product information = the product information | the description | the technical details
+ the description was right to the millimetre | all the details were there before I bought
- the description left out the most important thing | the details on the page were wrong
this survey = this survey | your questions | the questionnaire
+ glad that somebody asks | short survey, thank you
- this is the third survey in a week | your questions miss the point
community forum = the community forum | the answers of other users | the forum
+ other users solved it in an hour | the forum knew more than the manual
- my question in the forum is still open | the forum is full of angry people
outage notices = the outage notices | the warning about the fault | the status page
+ they warned us of the outage in time | the status page was honest
- not a word about the outage | the status page said all was well while nothing worked

[the cloud | the online services | the syncing]
+ everything is there on every device | it runs by itself in the background | nothing ever got lost
- things are here but not there | I no longer know where my things are | it keeps asking for money
cloud backup = the backup | the cloud backup | the restore
+ I dropped it in the lake and lost nothing | the backup runs every night by itself
- the backup failed when I needed it | it has not saved anything since June
photo sharing = photo sharing | the shared album | the online album
+ the whole family sees the pictures at once | the shared album works with every phone
- my pictures went to the wrong people | the shared album shows them in random order
device syncing = the syncing with my tablet | the link to my computer | the sync
+ what I start on the phone I finish on the tablet | my notes are everywhere at once
- my notes exist in three versions | the computer does not see the phone
music streaming = music streaming | the music service | the playlists
+ any song I can think of is there | my playlists work without a network
- the music stops in every tunnel | songs vanish from my playlists
video calls = video calls | the picture in video calls | calling with video
+ I see my grandchildren every Sunday | the picture is sharp even with six people
- the picture freezes in every video call | they see me but do not hear me
screen casting = the casting to my television | the link to the television | the big-screen mode
+ my photos are on the television in two taps | films run on the television without a hitch
- the television never finds the phone | sound and picture drift apart on the television
"""

# How a noun is praised, blamed, or left alone. Some praise is a negation and some blame is sarcasm.
PRAISE_FRAMES = """
I really love {} | I am very happy with {} | full marks for {} | I was pleasantly surprised by {}
I cannot fault {} | no complaints about {} | {} never gave me any trouble
{} exceeded my expectations | {} could hardly be better | you got it right with {}
I keep telling my friends about {} | {} won me over | the best thing about it has to be {}
I expected problems with {} and had none | {} turned out not bad at all | {} made a good impression
it is hard to find anything wrong with {} | I had my doubts about {}, but I was wrong
I never thought I would praise {}, but I do | nothing pleases me more than {} | you did well with {}
"""
BLAME_FRAMES = """
I am disappointed with {} | {} let me down | I expected more from {} | I am not happy with {}
somebody should do something about {} | {} drove me mad | I lost patience with {}
{} could be a lot better | nobody seems to care about {} | I cannot recommend it because of {}
I would not call {} good | the weak point has to be {} | I nearly sent it back because of {}
{} caused me nothing but trouble | I had high hopes for {}, all of them gone
nothing annoys me more than {} | thanks a lot for {}, I love wasting my time
oh great, trouble with {} again | I do so enjoy fighting with {}
if you like surprises, you will love {} | a round of applause for {}, what a failure
no praise from me for {} | I used to love {}, not any more
"""
NEUTRAL_FRAMES = """
{} did the job, no more and no less | I have mixed feelings about {} | I got used to {}
{} could be better and could be worse | nothing special to say about {}
as for {}, it depends on the day | sometimes I like {}, sometimes I do not
five out of ten for {} | {} met my expectations, nothing beyond that | I neither love nor hate {}
average marks for {} | I am undecided about {} | {} seemed all right
{} seemed fair enough to me | {} left me neither happy nor angry | {} did not bother me
"""

# Mentions that a coder would not count: no opinion, somebody else's, or another phone's.
MENTION_FRAMES = """
I have not tried {} yet | ask me again about {} in a month | my brother bought his because of {}
my old one was known for {} | I never paid attention to {} | a friend asked me about {} last week
I cannot judge {} yet | the reviews go on about {}, which I hardly need | I did not buy it for {}
other makers advertise with {} | my husband would have more to say about {}
I had read a lot about {} beforehand | you asked about {} last time
"""

# Opinions on nothing in particular.
PRAISE = """
I would buy it again | overall I am very satisfied | it does exactly what it should
it is the best phone I have had | no regrets from my side | my whole family wants one now
keep up the good work | I can only recommend it | a good buy all in all | better than I had feared
I have recommended it to two colleagues | I would not swap it for another one
nothing to complain about | there is little to improve | it was the right decision
I am positively surprised by it | we are very pleased with it | I like it more every day
it is not perfect, but close | I never thought I would say so, but well done
"""
BLAME = """
I will not buy from you again | overall it was a disappointment | I want my money back
it is not what I was promised | I would not recommend it to anybody | never again, thank you
my next one will be another brand | I regret that I bought it | it gets worse every month
I expected better of a brand like yours | not good enough for a new phone | I have had enough of it
well done, you have lost a customer | I have stopped expecting anything
there is a lot to improve | nothing but trouble from the start | I should have listened to my sister
it was good once, not any more | I cannot say anything nice about it | you used to be better
"""
NEUTRAL = """
it is all right, I suppose | nothing more to add from me | we will see how it goes
it is a phone like any other | it has good and bad sides | ask me again next year
neither thrilled nor annoyed | it does what phones do | I have no strong opinion yet
things could be worse | there is always something to improve | I may or may not buy it again
some things are fine and some are not | I only use it now and then | it is what I expected
the usual ups and downs | I cannot complain, but I cannot cheer either | hard to say at this point
not good, not bad, just a phone | it was about what I had in mind
"""

# Neither opinion nor topic.
REMARKS = """
my sister has the same one | I use it mostly at home | this is my third one from you
I am not a technical person | I work outdoors most of the day | my children use it more than I do
I live in the country | I am on the road a lot | I was with another brand before
I have been a customer for years | you have my address in case of questions
my previous one was four years old | I share it with my husband | I got mine from my employer
I filled in the same form last year | I mainly make calls and read the news | I am past seventy now
I hope somebody reads this | my daughter chose it for me | I am writing this on the train
I do not need much from a phone | we have four of them in the family | I am new to all this
"""

# What an answer may begin with: a phrase before the first sentence, or a sentence of its own.
OPENINGS = """
honestly, | to be fair, | well, | first of all, | in short, | all in all, | frankly,
as I said before, | in my opinion, | for me personally, | from what I have seen,
as a long-standing customer, | as a pensioner, | as a student, | to sum it up,
if I am honest, | compared with last year,
"""
TIMES = """
a few days | a week | ten days | two weeks | three weeks | a month | six weeks | two months
three months | four months | half a year | nearly a year | a year | two years
"""
TIMED_OPENINGS = "after {} of use, | after {}, | I have had it for {} now. | in use for {}:"
REASONS = """
for work | for my mother | for my son | as a present | in the sale | on a friend's advice | online
as a second phone | because my old one broke | without much thought | for my holiday
"""
REASON_OPENINGS = "I bought it {}. | bought {}. | we got it {}."

# Asides at the end of a sentence.
ASIDES = """
to be honest | in my opinion | if you ask me | at least in my case | and my wife agrees
and I am not the only one | believe me | I have to say | just so you know | I must admit
and my neighbour says the same | as I wrote last time | as far as I can tell | at least for me
for what it is worth | and that says a lot | to tell the truth | and I have tried a few
all things considered | as everybody knows
"""

# Between two sentences: of one mind, of two minds, and any others. Repeats are commoner.
LINKS = (". ", ". ", ". ", ", and ", "; ", ". Also, ", ". Besides, ")
TURNS = (". ", ", but ", ", but ", ". That said, ", ". On the other hand, ", ". Still, ")
BREAKS = (". ", ". ", ". ", ". ", ". ", ". ", ". ", ". By the way, ")
ENDS = (".", ".", ".", ".", ".", ".", ".", "", "", "!")
